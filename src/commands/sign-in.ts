import type { Command } from "commander"
import { AccountError } from "../access/change.ts"
import { sessionsOf, signOut } from "../access/sessions.ts"
import { issueLink, linkPath, validMinutes } from "../access/sign-in-links.ts"
import type { Config } from "../config.ts"
import type { Pool } from "../db/pool/pool.ts"
import { localAddress } from "../text/service-addresses.ts"
import { withEditor, withPool } from "./database.ts"
import { formatTable, logToStderr, printResult, printSecret } from "./terminal.ts"

/** Adds the commands for signing in to those of accounts. */
export function addSignInCommands(account: Command, config: () => Config): void {
  account
    .command("link")
    .description(`print a one-time link to sign in with, valid for ${validMinutes} minutes`)
    .argument("<email>")
    .action(async (email: string) => {
      const settings = config()
      await withPool(settings, (pool) => printLink(pool, settings, email))
    })

  account
    .command("sessions")
    .description("list where the owner of an account is signed in")
    .argument("<email>")
    .action(async (email: string) => {
      const sessions = await withPool(config(), (pool) => sessionsOf(pool, email, new Date()))
      const rows = sessions.map(({ signedInAt, method, lastSeenAt, address, userAgent }) => [
        instantText(signedInAt),
        method,
        instantText(lastSeenAt),
        address,
        // What a client sends must not move the cursor.
        userAgent.replace(/[^\x20-\x7e]/g, "?"),
      ])
      await printResult(formatTable(["signed in", "by", "last seen", "from", "browser"], rows))
    })

  account
    .command("sign-out")
    .description("end all sessions of an account from the next request on; its tokens stay valid")
    .argument("<email>")
    .action(async (email: string) => {
      const { value } = await withEditor(config(), (editor) => signOut(editor, email))
      logToStderr(`Ended ${value === 1 ? "1 session" : `${value} sessions`} of account ${email}`)
    })
}

/** Makes a link and prints it. @throws AccountError where it can't be made or printed */
export async function printLink(
  pool: Pool,
  { BASE_URL, HOST, PORT }: Pick<Config, "BASE_URL" | "HOST" | "PORT">,
  email: string,
): Promise<void> {
  const secret = await issueLink(pool, email, new Date())
  const base = BASE_URL || localAddress(HOST, PORT)
  await printSecret(base + linkPath(secret)).catch((error: Error) => {
    throw new AccountError(
      `${error.message}. The link cannot be shown again: make another with \`mds account link ${email}\``,
    )
  })
  logToStderr(`The link signs in once, within ${validMinutes} minutes`)
}

const instantText = (at: Date): string => at.toISOString().replace(".000Z", "Z")
