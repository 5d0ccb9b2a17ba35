import { type Command, InvalidArgumentError, Option } from "commander"
import {
  createAccount,
  issueToken,
  listAccounts,
  listTokens,
  revokeToken,
} from "../access/accounts.ts"
import { limitOf, type Plan, plans } from "../access/plan.ts"
import type { Config } from "../config.ts"
import { withPool } from "./database.ts"
import { print, say, table } from "./terminal.ts"

const dayMs = 24 * 60 * 60 * 1000

export function addAccountCommands(program: Command, config: () => Config): void {
  const account = program.command("account").description("accounts and their plans")

  account
    .command("create")
    .description("make an account")
    .argument("<email>")
    .addOption(new Option("--plan <plan>", "what it may use").choices(plans).default("standard"))
    .option("--limit <requests>", "requests per hour; the enterprise plan's alone", positiveInteger)
    .action(async (email: string, { plan, limit }: { plan: Plan; limit?: number }) => {
      await withPool(config(), (pool) =>
        createAccount(pool, { email, plan, requestLimit: limit ?? null }),
      )
      say(`Made the account ${email} on the ${plan} plan`)
    })

  account
    .command("list")
    .description("all accounts")
    .action(async () => {
      const accounts = await withPool(config(), listAccounts)
      const rows = accounts.map(({ email, plan, requestLimit, tokens, createdAt }) => {
        const limit = limitOf(plan, requestLimit)
        const shown = Number.isFinite(limit) ? String(limit) : "unlimited"
        return [email, plan, shown, String(tokens), createdAt ?? ""]
      })
      print(table(["email", "plan", "per hour", "tokens", "created"], rows))
    })
}

export function addTokenCommands(program: Command, config: () => Config): void {
  const token = program.command("token").description("API tokens of accounts")

  token
    .command("create")
    .description("issue a token and print it, the only time that it is shown")
    .requiredOption("--account <email>", "made on the standard plan where it is missing")
    .requiredOption("--name <text>", "what the token is for")
    .option("--expires-in <days>", "days until it expires; never without this", positiveInteger)
    .action(async (options: { account: string; name: string; expiresIn?: number }) => {
      const { account: email, name, expiresIn } = options
      const expiresAt = expiresIn ? new Date(Date.now() + expiresIn * dayMs) : null
      const issued = await withPool(config(), (pool) =>
        issueToken(pool, { email, name, expiresAt }),
      )
      print(issued)
      say("Keep it now: it can't be shown again.")
    })

  token
    .command("list")
    .description("an account's tokens, by their first characters")
    .requiredOption("--account <email>")
    .action(async ({ account }: { account: string }) => {
      const tokens = await withPool(config(), (pool) => listTokens(pool, account))
      const rows = tokens.map(({ prefix, name, createdAt, lastUsedAt, expiresAt, revokedAt }) =>
        [prefix, name, createdAt, lastUsedAt, expiresAt, revokedAt].map((cell) => cell ?? "-"),
      )
      print(table(["token", "name", "created", "last used", "expires", "revoked"], rows))
    })

  token
    .command("revoke")
    .description("refuse a token from the next request on")
    .argument("<prefix>", "how the token begins, as `token list` shows it")
    .action(async (prefix: string) => {
      const revoked = await withPool(config(), (pool) => revokeToken(pool, prefix))
      say(`Revoked ${revoked.prefix} (${revoked.name})`)
    })
}

function positiveInteger(text: string): number {
  const value = Number(text)
  if (!/^[1-9]\d*$/.test(text) || value > 2_147_483_646) {
    throw new InvalidArgumentError("It must be an integer from 1 to 2147483646.")
  }
  return value
}
