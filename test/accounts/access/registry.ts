/** A database for a file of tests of accounts and tokens, with a pool on it and an editor of it. */
import { expect } from "bun:test"
import { AccountError, type Editor } from "../../../src/accounts/access/change.ts"
import { createCredentials, createTokenLookup } from "../../../src/accounts/access/credentials.ts"
import { hashSecret } from "../../../src/accounts/access/secret.ts"
import { issueToken } from "../../../src/accounts/access/tokens.ts"
import { cacheSizes } from "../../../src/data/db/cache.ts"
import { createPool, type Pool } from "../../../src/data/db/pool/pool.ts"
import { afterFile, databaseOfFile } from "../../support/of-file.ts"

export async function registry() {
  const { url, sql: client } = await databaseOfFile()
  const pool = createPool(url, { name: "test", connections: 2, statementTimeoutMs: 10_000 })
  afterFile(pool.close)
  const editor: Editor = { url, who: "jo", origin: "a test" }
  const lookUp = createTokenLookup(pool)
  const sql = (text: string) => pool.runAlone(null, (db) => db.execute(text))
  return {
    url,
    /** Of the database, outside of the service. */
    client,
    pool,
    editor,
    issue: async (email: string, name = "test", expiresAt: Date | null = null) =>
      (await issueToken(editor, { email, name, expiresAt })).value,
    /** An account with one token. @returns its number */
    account: async (email: string): Promise<number> => {
      await issueToken(editor, { email, name: "first", expiresAt: null })
      const [row] = await sql(`select id::int from accounts where email = '${email}'`)
      return row?.id as number
    },
    /** Whether a token is accepted, by a process that has cached nothing. */
    isAccepted: async (token: string | null, when: Date): Promise<boolean> => {
      const found = await lookUp(hashSecret(token ?? ""), null)
      return found !== null && when.getTime() < found.expiresMs
    },
    /** Runs SQL outside of the service, as psql does. */
    sql,
  }
}

/** Of a process that has cached nothing. */
export const credentialsOn = (records: Pool, accounts: Pool) =>
  createCredentials({
    pools: { records, accounts },
    sizes: cacheSizes(1_000_000),
    onUseNotRecorded: (error) => expect(error).toBeUndefined(),
  })

/** The message of a rejected change. Fails unless an AccountError rejects the change. */
export async function refusal(change: Promise<unknown>): Promise<string> {
  const error = await change.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(AccountError)
  return error instanceof AccountError ? error.message : ""
}
