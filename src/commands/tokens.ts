import { type Command, InvalidArgumentError, Option } from "commander"
import { listTokens } from "../access/accounts.ts"
import { AccountError } from "../access/change.ts"
import { issueToken, revokeToken, rotateToken } from "../access/tokens.ts"
import type { Config } from "../config.ts"
import { positiveInteger } from "./arguments.ts"
import { withEditor, withPool } from "./database.ts"
import {
  formatTable,
  logToStderr,
  printResult,
  printSecret,
  warnIfUnconfirmed,
} from "./terminal.ts"

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 }

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
      const expiresAt = expiresIn ? new Date(Date.now() + expiresIn * unitMs.d) : null
      await withEditor(config(), async (editor) => {
        await printToken((await issueToken(editor, { email, name, expiresAt })).value)
      })
    })

  token
    .command("list")
    .description("an account's tokens, by their first characters")
    .requiredOption("--account <email>")
    .action(async ({ account }: { account: string }) => {
      await printResult(tokenTable(await withPool(config(), (pool) => listTokens(pool, account))))
    })

  token
    .command("rotate")
    .description("issue a token's successor and print it; the old one is taken for a while yet")
    .argument("<prefix>", "how the token begins, as `token list` shows it")
    .addOption(
      new Option("--grace <time>", "for how long: a number with m, h or d, or 0")
        .argParser(parseDuration)
        .default(unitMs.d, "24h"),
    )
    .action(async (prefix: string, { grace }: { grace: number }) => {
      await withEditor(config(), async (editor) => {
        const rotation = { prefix, graceMs: grace, now: new Date() }
        const { value, unconfirmed } = await rotateToken(editor, rotation)
        await printToken(value.token)
        const until = value.until?.toISOString().replace(".000Z", "Z")
        const fate = until ? `is taken until ${until}` : "is revoked"
        logToStderr(`It succeeds ${value.prefix} (${value.name}), which ${fate}.`)
        warnIfUnconfirmed(unconfirmed)
      })
    })

  token
    .command("revoke")
    .description("refuse a token from the next request on")
    .argument("<prefix>", "how the token begins, as `token list` shows it")
    .action(async (prefix: string) => {
      const { value, unconfirmed } = await withEditor(config(), (editor) =>
        revokeToken(editor, prefix),
      )
      logToStderr(`Revoked ${value.prefix} (${value.name})`)
      warnIfUnconfirmed(unconfirmed)
    })
}

export const tokenTable = (tokens: Awaited<ReturnType<typeof listTokens>>): string =>
  formatTable(
    ["token", "name", "created", "last used", "expires", "revoked"],
    tokens.map(({ prefix, name, createdAt, lastUsedAt, expiresAt, revokedAt }) =>
      [prefix, name, createdAt, lastUsedAt, expiresAt, revokedAt].map((cell) => cell ?? "-"),
    ),
  )

/** Within the work on the database, so that nothing that fails after it can lose the token. */
async function printToken(token: string): Promise<void> {
  await printSecret(token).catch((error: Error) => {
    const prefix = token.slice(0, 12)
    throw new AccountError(
      `${error.message}. The token ${prefix} is issued and can't be shown again: ` +
        `revoke it with \`token revoke ${prefix}\`, and issue another.`,
    )
  })
  logToStderr("Keep it now: it can't be shown again.")
}

/** @returns milliseconds */
function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  if (text === "0") return 0
  if (unit === undefined) throw new InvalidArgumentError("It must be like 30m, 24h, 7d, or 0.")
  return Number(count) * unitMs[unit as keyof typeof unitMs]
}
