/** Accounts in a database that a row has made for itself. */
import { createAccount } from "../../src/access/accounts.ts"
import { issueToken } from "../../src/access/tokens.ts"

/** @returns a token of each account */
export async function issueUnlimited(url: string, accounts: number): Promise<string[]> {
  const editor = { url, who: "bench", origin: "bench" }
  const tokens: string[] = []
  for (let number = 0; number < accounts; number++) {
    const email = `bench-${number}@example.com`
    await createAccount(editor, { email, plan: "admin", requestLimit: null })
    tokens.push((await issueToken(editor, { email, name: "bench", expiresAt: null })).value)
  }
  return tokens
}
