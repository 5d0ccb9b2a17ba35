/** Changes of accounts and tokens: each is one transaction that says who makes it and from where. */
import { sql } from "drizzle-orm"
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js"
import { committed } from "../db/commit.ts"
import { type ConfirmedChange, changeAndConfirm } from "../db/confirmed-change.ts"

/** Who changes accounts and tokens, and in which database. */
export interface Editor {
  /** Of the database: `postgres://…` */
  url: string
  who: string
  /** From where: a host, an address. */
  origin: string
}

export type Changed<T> = ConfirmedChange<T>

export type Transaction = Parameters<Parameters<PostgresJsDatabase["transaction"]>[0]>[0]

/** Something that a person asked for and that can't be done as asked. The message says why. */
export class AccountError extends Error {
  override readonly name = "AccountError"
}

const whenUnknown =
  "So it is not known whether the change is made. `account show` tells what is, and who made it."

/**
 * Runs `work` in a transaction, whose changes go down in the audit with the editor's name, and waits
 * until they hold in every serving process.
 */
export const change = <T>(
  { url, who, origin }: Editor,
  work: (tx: Transaction) => Promise<T>,
): Promise<Changed<T>> =>
  changeAndConfirm(url, (client) =>
    committed(whenUnknown, (committing) =>
      drizzle(client).transaction(async (tx) => {
        // The triggers that write the audit read these; `true` ends them with the transaction.
        await tx.execute(
          sql`select set_config('mds.who', ${who}, true), set_config('mds.origin', ${origin}, true)`,
        )
        const changed = await work(tx)
        committing()
        return changed
      }),
    ),
  )
