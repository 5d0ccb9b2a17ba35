/** Settings of the session of a load and of its transaction, and the lock of all that publishes. */
import type { Sql, TransactionSql } from "postgres"
import { lockPublishing } from "../db/advisory-locks.ts"
import type { Progress } from "./progress.ts"

export async function prepareSession(client: Sql): Promise<void> {
  // Where the server's system does not support this, it notices a killed load a little later.
  await client.unsafe("set client_connection_check_interval = '1s'").catch(() => {})
  await client.unsafe("set temp_buffers = '64MB'")
}

/** A load may take long, whatever limits the role or the database sets for requests. */
const transactionSettings = `
  set local statement_timeout = 0;
  set local lock_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local work_mem = '128MB';
  set local maintenance_work_mem = '128MB';
  set local jit = off;
  set local timezone = 'UTC'`

/** Waits for other loads to end: one publishes at a time. */
export async function prepareTransaction(sql: TransactionSql, progress: Progress): Promise<void> {
  await sql.unsafe(transactionSettings)
  await lockPublishing(sql, () => progress.step("Waiting for another load to end"))
}
