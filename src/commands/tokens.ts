import { type Command, InvalidArgumentError, Option } from "commander"
import { showAccount } from "../access/accounts.ts"
import { AccountError } from "../access/change.ts"
import { prefixOf } from "../access/token.ts"
import { issueToken, revokeToken, rotateToken } from "../access/tokens.ts"
import type { Config } from "../config.ts"
import { dayMs, hourMs, minuteMs } from "../text/durations.ts"
import { integer } from "./arguments.ts"
import { withEditor, withPool } from "./database.ts"
import {
  formatTable,
  logToStderr,
  printResult,
  printSecret,
  warnIfUnconfirmed,
} from "./terminal.ts"

const unitMs = { m: minuteMs, h: hourMs, d: dayMs }

interface CreateOptions {
  account: string
  name: string
  expiresIn?: number
  spreadsheets?: boolean
}

export function addTokenCommands(program: Command, config: () => Config): void {
  const token = program.command("token").description("manage API tokens")

  token
    .command("create")
    .description("create a token and print it; it is not shown again")
    .requiredOption(
      "--account <email>",
      "account of the token; created on the standard plan if it does not exist",
    )
    .requiredOption("--name <text>", "purpose of the token")
    .option("--expires-in <days>", "days until it expires (default: never)", integer(1, 36_500))
    .option("--spreadsheets", "show its use apart from that of programs")
    .action(async (options: CreateOptions) => {
      const { account: email, name, expiresIn, spreadsheets: forSpreadsheets = false } = options
      const now = new Date()
      const expiresAt = expiresIn ? new Date(now.getTime() + expiresIn * unitMs.d) : null
      await withEditor(config(), async (editor) => {
        await printToken(
          (await issueToken(editor, { email, name, now, expiresAt, forSpreadsheets })).value,
        )
      })
    })

  token
    .command("list")
    .description("list the tokens of an account by their prefixes")
    .requiredOption("--account <email>", "account of the tokens")
    .action(async ({ account }: { account: string }) => {
      const { tokens } = await withPool(config(), (pool) => showAccount(pool, account))
      await printResult(tokenTable(tokens))
    })

  token
    .command("rotate")
    .description(
      "replace a token and print the new one; the old one stays valid for a grace period",
    )
    .argument("<prefix>", "first characters of the token, as `token list` shows them")
    .addOption(
      new Option(
        "--grace <time>",
        "how long the old token stays valid: a number with m, h or d, or 0",
      )
        .argParser(parseDuration)
        .default(unitMs.d, "24h"),
    )
    .action(async (prefix: string, { grace }: { grace: number }) => {
      await withEditor(config(), async (editor) => {
        const rotation = { prefix, graceMs: grace, now: new Date() }
        const { value, unconfirmed } = await rotateToken(editor, rotation)
        await printToken(value.token)
        const until = value.until?.toISOString().replace(".000Z", "Z")
        const fate = until ? `stays valid until ${until}` : "is revoked"
        logToStderr(`It replaces ${value.replaced} (${value.name}), which ${fate}`)
        warnIfUnconfirmed(unconfirmed)
      })
    })

  token
    .command("revoke")
    .description("revoke a token from the next request on")
    .argument("<prefix>", "first characters of the token, as `token list` shows them")
    .action(async (prefix: string) => {
      const { value, unconfirmed } = await withEditor(config(), (editor) =>
        revokeToken(editor, { prefix }),
      )
      logToStderr(`Revoked ${value.prefix} (${value.name})`)
      warnIfUnconfirmed(unconfirmed)
    })
}

export const tokenTable = (tokens: Awaited<ReturnType<typeof showAccount>>["tokens"]): string =>
  formatTable(
    ["token", "name", "created", "last used", "expires", "revoked"],
    tokens.map(({ prefix, name, createdAt, lastUsedAt, expiresAt, revokedAt }) =>
      [prefix, name, createdAt, lastUsedAt, expiresAt, revokedAt].map((cell) => cell ?? "-"),
    ),
  )

/** Called before the database is closed, so that a later failure cannot lose the token. */
async function printToken(token: string): Promise<void> {
  await printSecret(token).catch((error: Error) => {
    const prefix = prefixOf(token)
    throw new AccountError(
      `${error.message}. The token ${prefix} was issued but cannot be shown again: ` +
        `revoke it with \`mds token revoke ${prefix}\` and create another`,
    )
  })
  logToStderr("Save this token now: it is not shown again")
}

/** @returns milliseconds */
function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  if (text === "0") return 0
  if (unit === undefined)
    throw new InvalidArgumentError("Must be 0 or a duration such as 30m, 24h or 7d.")
  return Number(count) * unitMs[unit as keyof typeof unitMs]
}
