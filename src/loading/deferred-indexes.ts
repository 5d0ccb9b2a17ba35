/**
 * Indexes that are built once the rows are there, which takes half the time of adding each row to
 * them. Nobody can read the table from when its indexes are dropped until the commit, so it is done
 * only for the first rows of a table, while no other session is connected that might read it, and
 * no standby, whose sessions the lock would hold up too. A load that fails leaves the indexes as
 * they were: they are dropped and built in its transaction.
 */
import type { TransactionSql } from "postgres"
import { deferrableIndexes } from "../db/deferrable-indexes.ts"
import type { Staging } from "./staging.ts"

/** For fewer rows it is not worth the lock. */
export const manyRows = 10_000

/**
 * Runs `insert`, which inserts the staged rows, and builds indexes after it where that may be done.
 */
export async function withDeferredIndexes<T>(
  sql: TransactionSql,
  staging: Staging,
  insert: () => Promise<T>,
): Promise<T> {
  const indexes = (await mayDefer(sql, staging)) ? await deferrableIndexes(sql, staging.table) : []
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`)
  const inserted = await insert()
  for (const { definition } of indexes) await sql.unsafe(definition)
  return inserted
}

/** Other roles' sessions may hide what they are, and then count as clients. */
async function mayDefer(sql: TransactionSql, { table, staged }: Staging): Promise<boolean> {
  const [found] = await sql.unsafe(
    `select not exists (select from ${table})
      and (select count(*) from (select from ${staged} limit ${manyRows}) as first) = ${manyRows}
      and (select pg_has_role(relowner, 'USAGE') from pg_class where oid = $1::regclass)
      and not exists (select from pg_stat_replication)
      and not exists (select from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
          and coalesce(backend_type, 'client backend') = 'client backend') as may_defer`,
    [table],
  )
  return found?.may_defer === true
}
