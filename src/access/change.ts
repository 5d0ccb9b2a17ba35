/** Changes of accounts and tokens: each is one transaction that records its author and origin. */
import { sql } from "drizzle-orm"
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js"
import { committed } from "../db/commit.ts"
import { type ConfirmedChange, changeAndConfirm } from "../db/confirmed-change.ts"

/** The author of changes, and the database that they are made in. */
export interface Editor {
  /** The database's URL: `postgres://…` */
  url: string
  who: string
  /** A host name or an address. */
  origin: string
  /** The server ends a statement after this time; by default after the database's own setting. */
  statementTimeoutMs?: number
}

/** The origin of a change by a client without a known address. */
export const unknownAddress = "unknown address"

export type Changed<T> = ConfirmedChange<T>

export type Transaction = Parameters<Parameters<PostgresJsDatabase["transaction"]>[0]>[0]

/** The service cannot carry out a request. The message gives the reason. */
export class AccountError extends Error {
  override readonly name = "AccountError"
}

const whenUnknown =
  "So it is not known whether the change is made. `mds account show` shows the current state and who changed it."

/**
 * Runs `work` in a transaction, whose changes the audit log records under the editor's name, and waits
 * until every serving process has applied them.
 */
export const change = <T>(
  { url, who, origin, statementTimeoutMs }: Editor,
  work: (tx: Transaction) => Promise<T>,
): Promise<Changed<T>> =>
  changeAndConfirm(url, (client) =>
    committed(whenUnknown, (committing) =>
      drizzle(client).transaction(async (tx) => {
        await attribute(tx, { who, origin })
        if (statementTimeoutMs !== undefined) {
          await tx.execute(
            sql`select set_config('statement_timeout', ${String(statementTimeoutMs)}, true)`,
          )
        }
        const changed = await work(tx)
        committing()
        return changed
      }),
    ),
  )

/** Makes the audit log record the transaction's changes under this name. */
export async function attribute(
  tx: Transaction,
  { who, origin }: Pick<Editor, "who" | "origin">,
): Promise<void> {
  // The triggers that write the audit log read these; `true` limits them to the transaction.
  await tx.execute(
    sql`select set_config('mds.who', ${who}, true), set_config('mds.origin', ${origin}, true)`,
  )
}
