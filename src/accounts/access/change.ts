/** Changes of accounts and tokens: each is one transaction that records its author and origin. */
import { sql } from "drizzle-orm"
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js"
import { committed, OutcomeUnknown } from "../../data/db/commit.ts"
import { type ConfirmedChange, changeAndConfirm } from "../../data/db/confirmed-change.ts"
import { rethrowDatabaseError } from "../../data/db/database-errors.ts"
import { createTurns } from "../../data/db/pool/turns.ts"
import { settleWithin } from "../../system/text/settle-within.ts"

/** The name that the audit log records for a change. */
export interface Author {
  who: string
  /** A host name or an address. */
  origin: string
}

/** The author of changes, and the database that they are made in. */
export interface Editor extends Author {
  /** The database's URL: `postgres://…` */
  url: string
  /** The server ends a statement after this time; by default after the database's own setting. */
  statementTimeoutMs?: number
}

/** The person who makes a change through the pages. */
export interface Changer {
  accountId: number
  email: string
  /** The address of the client; empty if it is unknown. */
  address: string
}

/** The address of a client that has closed its connection. */
export const unknownAddress = "unknown address"

export const authorOf = ({ email, address }: Omit<Changer, "accountId">): Author => ({
  who: email,
  origin: address || unknownAddress,
})

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
export async function attribute(tx: Transaction, { who, origin }: Author): Promise<void> {
  // The triggers that write the audit log read these; `true` limits them to the transaction.
  await tx.execute(
    sql`select set_config('mds.who', ${who}, true), set_config('mds.origin', ${origin}, true)`,
  )
}

/**
 * Runs a change in the person's name.
 * @throws AccountError; Unavailable; OutcomeUnknown where the change may have been made
 */
export type PageChange = <T>(
  changer: Changer,
  work: (editor: Editor) => Promise<Changed<T>>,
) => Promise<Changed<T>>

const statementTimeoutMs = 5_000
/** The time limit of a change with all its statements and the confirmation. */
const defaultDeadlineMs = 15_000
/** With the time limit it stays within the 60 s after which proxies end a request. */
const turnWaitMs = 40_000

/**
 * Changes through the pages. Each takes a connection of its own and waits for all processes, so only a few run
 * at once, and one for each account.
 * @param url returns the database of a change, or throws Unavailable
 */
export function createPageChanges(url: () => string, deadlineMs = defaultDeadlineMs): PageChange {
  const turns = createTurns({ places: 4, placesPerAccount: 1, waitMs: turnWaitMs })
  return async (changer, work) => {
    // Without a database it throws before it waits.
    url()
    const endTurn = await turns.take(changer.accountId)
    // A running change uses its connection even after its caller has left. The database may be lost since then.
    const working = Promise.try(() =>
      work({ url: url(), ...authorOf(changer), statementTimeoutMs }),
    ).finally(endTurn)
    try {
      return await settleWithin(deadlineMs, working, tooLate)
    } catch (error) {
      if (error instanceof AccountError || error instanceof OutcomeUnknown) throw error
      return rethrowDatabaseError(error)
    }
  }
}

const tooLate = (limitMs: number) =>
  new OutcomeUnknown(`The database did not confirm the change within ${limitMs} ms`)
