import { showAccount } from "../accounts/access/accounts.ts"
import { prefixOf } from "../accounts/access/secret.ts"
import { issueToken, revokeToken } from "../accounts/access/tokens.ts"
import { dayMs } from "../system/text/time.ts"
import { argument, command, group, integerParameter, option, reading, required } from "./command.ts"
import { changeAccess, withPool } from "./database.ts"
import { formatTable, logToStderr, printSecret } from "./terminal.ts"

const prefix = argument(String, "first characters of the token, as `token list` shows them")

const create = command({
  help: "create a token and print it; it is not shown again",
  parameters: {
    account: required("<email>", "its account; a new one is on the standard plan", String),
    name: required("<text>", "purpose of the token", String),
    expiresIn: option(
      "<days>",
      "days until it expires (default: never)",
      integerParameter(1, 36_500),
    ),
  },
  run: ({ account: email, name, expiresIn }, { config }) =>
    changeAccess(
      config,
      (editor) => {
        const now = new Date()
        const expiresAt = expiresIn ? new Date(now.getTime() + expiresIn * dayMs) : null
        return issueToken(editor, { email, name, now, expiresAt })
      },
      printToken,
    ),
})

const list = reading({
  help: "list the tokens of an account by their prefixes",
  parameters: { account: required("<email>", "account of the tokens", String) },
  read: async ({ account }, { config }) =>
    tokenRows((await withPool(config, (pool) => showAccount(pool, account))).tokens),
  text: formatTable,
})

const revoke = command({
  help: "revoke a token from the next request on",
  parameters: { prefix },
  run: (token, { config }) =>
    changeAccess(
      config,
      (editor) => revokeToken(editor, token),
      ({ prefix, name }) => logToStderr(`Revoked ${prefix} (${name})`),
    ),
})

export const tokenCommand = group("manage API tokens", { create, list, revoke })

export const tokenRows = (tokens: Awaited<ReturnType<typeof showAccount>>["tokens"]) =>
  tokens.map((token) => ({
    token: token.prefix,
    name: token.name,
    created_at: token.createdAt,
    last_used_at: token.lastUsedAt,
    expires_at: token.expiresAt,
    revoked_at: token.revokedAt,
  }))

/** Called before the database is closed, so that a later failure cannot lose the token. */
async function printToken(token: string): Promise<void> {
  const prefix = prefixOf(token)
  await printSecret(
    token,
    `The token ${prefix} was issued but cannot be shown again: ` +
      `revoke it with \`mds token revoke ${prefix}\` and create another`,
  )
  logToStderr("Save this token now: it is not shown again")
}
