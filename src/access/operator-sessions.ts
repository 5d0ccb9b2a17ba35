/** Sessions of an account as operators see and end them. */
import type { Pool } from "../db/pool/pool.ts"
import { existingAccount } from "./accounts.ts"
import { type Changed, change, type Editor } from "./change.ts"
import { endSessions } from "./session-rows.ts"
import { createSessions, type SessionRow } from "./sessions.ts"

/** The sessions of an account, the last one used first. @throws AccountError where it does not exist */
export async function listSessions(pool: Pool, email: string, now: Date): Promise<SessionRow[]> {
  const account = await pool.runAlone(null, () => existingAccount(pool.db, email))
  return createSessions({ pool, onUseNotRecorded: () => {} }).list(account.id, now)
}

/**
 * Ends all sessions of an account and withdraws its one-time links.
 * @returns how many sessions have ended
 * @throws AccountError where it does not exist
 */
export function signOut(editor: Editor, email: string): Promise<Changed<number>> {
  return change(editor, async (tx) => {
    const { id } = await existingAccount(tx, email)
    return endSessions(tx, id)
  })
}
