/** A database for tests of accounts and tokens, with a pool on it and an editor of it. */
import { expect } from "bun:test"
import { AccountError, type Editor } from "../../src/access/change.ts"
import { issueToken } from "../../src/access/tokens.ts"
import { createPool } from "../../src/db/pool/pool.ts"
import { testDatabase } from "../support/postgres.ts"

export type Registry = Awaited<ReturnType<typeof registry>>

export async function registry() {
  const database = await testDatabase()
  const pool = createPool(database.url, {
    name: "test",
    connections: 2,
    statementTimeoutMs: 10_000,
  })
  const editor: Editor = { url: database.url, who: "jo", origin: "a test" }
  return {
    url: database.url,
    pool,
    editor,
    issue: async (email: string, name = "test", expiresAt: Date | null = null) =>
      (await issueToken(editor, { email, name, expiresAt })).value,
    /** Runs SQL outside of the service, as psql does. */
    sql: (text: string) => pool.runAlone(null, () => pool.db.execute(text)),
    stop: async () => {
      await pool.close()
      await database.drop()
    },
  }
}

/** The message of a refused change. Fails where the change was not refused with an AccountError. */
export async function refusal(change: Promise<unknown>): Promise<string> {
  const error = await change.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(AccountError)
  return error instanceof AccountError ? error.message : ""
}
