/** Changes of accounts and tokens: each is one transaction that records who makes it and from where. */
import { sql } from "drizzle-orm"
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js"
import { committed } from "../db/commit.ts"
import { type ConfirmedChange, changeAndConfirm } from "../db/confirmed-change.ts"

/** Who changes accounts and tokens, and in which database. */
export interface Editor {
  /** The database's URL: `postgres://…` */
  url: string
  who: string
  /** A host name or an address. */
  origin: string
  /** After which the server ends a statement; by default the database's own setting. */
  statementTimeoutMs?: number
}

/** Where the client's address is not known. */
export const unknownAddress = "unknown address"

export type Changed<T> = ConfirmedChange<T>

export type Transaction = Parameters<Parameters<PostgresJsDatabase["transaction"]>[0]>[0]

/** A request that can't be carried out. The message says why. */
export class AccountError extends Error {
  override readonly name = "AccountError"
}

const whenUnknown =
  "So it is not known whether the change is made. `mds account show` shows the current state and who changed it."

/**
 * Runs `work` in a transaction, whose changes the audit log records under the editor's name, and waits
 * until every serving process has processed them.
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

/** Has the audit log record the transaction's changes under this name. */
export async function attribute(
  tx: Transaction,
  { who, origin }: Pick<Editor, "who" | "origin">,
): Promise<void> {
  // The triggers that write the audit log read these; `true` limits them to the transaction.
  await tx.execute(
    sql`select set_config('mds.who', ${who}, true), set_config('mds.origin', ${origin}, true)`,
  )
}
