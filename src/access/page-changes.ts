/**
 * Changes of accounts and tokens through the pages. Each takes a connection of its own and waits until all
 * processes have confirmed the change, so only a few run at once, and one for each account.
 */
import { OutcomeUnknown } from "../db/commit.ts"
import { rethrowDatabaseError } from "../db/database-errors.ts"
import { createTurns } from "../db/pool/turns.ts"
import { settleWithin } from "../text/settle-within.ts"
import { AccountError, type Changed, type Editor, unknownAddress } from "./change.ts"

/** The person who makes a change. */
export interface Changer {
  accountId: number
  email: string
  /** The address of the client. */
  address: string
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

/** @param url returns the database of a change, or throws Unavailable */
export function createPageChanges(url: () => string, deadlineMs = defaultDeadlineMs): PageChange {
  const turns = createTurns({ places: 4, placesPerAccount: 1 })
  return async ({ accountId, email, address }, work) => {
    const primaryUrl = url()
    const endTurn = await turns.take(accountId)
    const editor = {
      url: primaryUrl,
      who: email,
      origin: address || unknownAddress,
      statementTimeoutMs,
    }
    // A running change uses its connection even after its caller has left.
    const working = Promise.try(() => work(editor)).finally(endTurn)
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
