import { InvalidArgumentError } from "commander"
import {
  accountIdOf,
  createAccount,
  listAccounts,
  setDisabled,
  setPlan,
  showAccount,
} from "../accounts/access/accounts.ts"
import { auditSubject, columnsText } from "../accounts/access/audit.ts"
import { listSessions, signOut } from "../accounts/access/sessions.ts"
import { issueLink, linkPath, validMinutes } from "../accounts/access/sign-in-links.ts"
import { limitOf } from "../accounts/access/windows.ts"
import type { Config } from "../config.ts"
import { type AccountPlan, highestRequestLimit, plans } from "../data/db/account-tables.ts"
import type { Pool } from "../data/db/pool/pool.ts"
import { countOf } from "../system/text/display.ts"
import { localPath } from "../system/text/local-path.ts"
import {
  argument,
  choiceParameter,
  command,
  group,
  integerParameter,
  option,
  reading,
} from "./command.ts"
import { changeAccess, editorOf, usePool, withDatabase, withPool } from "./database.ts"
import { addressForLinks } from "./served-address.ts"
import { formatTable, logToStderr, printSecret } from "./terminal.ts"
import { tokenRows } from "./tokens.ts"

const email = argument(String)
const allPlans = plans.join(", ")
const limit = option(
  "<requests>",
  "per hour, on the enterprise plan",
  integerParameter(1, highestRequestLimit),
)

function limitFor(plan: AccountPlan, requestLimit: number | null): number | null {
  if (plan === "enterprise" && requestLimit === null)
    throw new InvalidArgumentError("The enterprise plan requires a limit: add --limit")
  if (plan !== "enterprise" && requestLimit !== null)
    throw new InvalidArgumentError(`The limit of the ${plan} plan is fixed`)
  return requestLimit
}

function ownPath(text: string): string {
  const path = localPath(text, "")
  if (path === "") throw new Error("Must be a path of the service, such as /explore/tenements.")
  return path
}

const create = command({
  help: "create an account and print a one-time link to sign in with",
  parameters: {
    email,
    plan: option("<plan>", `${allPlans} (default: standard)`, choiceParameter(plans)),
    limit,
  },
  run: ({ email, plan = "standard", limit = null }, { config }) => {
    const requestLimit = limitFor(plan, limit)
    return withDatabase(config, async (database) => {
      await createAccount(editorOf(config, database), { email, plan, requestLimit })
      logToStderr(`Created account ${email} on the ${plan} plan`)
      await usePool(database, (pool) => printLink(pool, config, email))
    })
  },
})

const list = reading({
  help: "list all accounts",
  read: async (_, { config }) => {
    const accounts = await withPool(config, listAccounts)
    return accounts.map(({ tokens, ...account }) => ({ ...accountRow(account), tokens }))
  },
  text: formatTable,
})

const show = reading({
  help: "show an account, its tokens and the audit log of both",
  parameters: { email },
  read: async ({ email }, { config }) => {
    const shown = await withPool(config, (pool) => showAccount(pool, email))
    return {
      ...accountRow(shown),
      tokens: tokenRows(shown.tokens),
      earlier_changes: shown.earlierChanges,
      changes: shown.changes.map((change) => ({
        changed_at: change.at,
        subject: auditSubject(change),
        change: change.action,
        columns: columnsText(change),
        by: change.who,
        from: change.origin,
      })),
    }
  },
  text: ({ tokens, earlier_changes, changes, ...account }) =>
    [
      formatTable([account]),
      `Tokens:\n${formatTable(tokens)}`,
      ...(earlier_changes === 0
        ? []
        : [
            `${countOf(earlier_changes, "earlier change is", "earlier changes are")} not shown; the owner sees them at /account/audit`,
          ]),
      `Changes:\n${formatTable(changes)}`,
    ].join("\n\n"),
})

const setAccountPlan = command({
  help: "change the plan of an account, from the next request on",
  parameters: { email, plan: argument(choiceParameter(plans), allPlans), limit },
  run: ({ email, plan, limit = null }, { config }) => {
    const requestLimit = limitFor(plan, limit)
    return changeAccess(
      config,
      (editor) => setPlan(editor, { email, plan, requestLimit }),
      () => logToStderr(`Changed account ${email} to the ${plan} plan`),
    )
  },
})

const disabling = (help: string, done: string, disabled: boolean) =>
  command({
    help,
    parameters: { email },
    run: ({ email }, { config }) =>
      changeAccess(
        config,
        (editor) => setDisabled(editor, email, disabled),
        () => logToStderr(`${done} account ${email}`),
      ),
  })

const link = command({
  help: `print a one-time link to sign in with, valid for ${validMinutes} minutes`,
  details:
    "The link begins with BASE_URL. Without BASE_URL, it begins with the address of the running service\n" +
    "in DATA_DIR or, with DATABASE_URL, with localhost and PORT.",
  parameters: {
    email,
    next: option("<path>", "page after signing in (default: /account)", ownPath),
  },
  run: ({ email, next }, { config }) =>
    withPool(config, (pool) => printLink(pool, config, email, next)),
})

const sessions = reading({
  help: "list where the owner of an account is signed in",
  parameters: { email },
  read: async ({ email }, { config }) => {
    const found = await withPool(config, async (pool) =>
      listSessions(pool, await accountIdOf(pool, email), new Date()),
    )
    return found.map((session) => ({
      signed_in_at: session.signedInAt,
      last_seen_at: session.lastSeenAt,
      address: session.address,
      browser: session.userAgent,
    }))
  },
  text: formatTable,
})

const signOutOwner = command({
  help: "end all sessions of an account from the next request on; its tokens stay valid",
  parameters: { email },
  run: ({ email }, { config }) =>
    changeAccess(
      config,
      (editor) => signOut(editor, email),
      (count) => logToStderr(`Ended ${countOf(count, "session")} of account ${email}`),
    ),
})

export const accountCommand = group("manage accounts and their plans", {
  create,
  list,
  show,
  "set-plan": setAccountPlan,
  disable: disabling("reject the tokens of an account and end its sessions", "Disabled", true),
  enable: disabling("accept the tokens of a disabled account again", "Enabled", false),
  link,
  sessions,
  "sign-out": signOutOwner,
})

type AccountFacts = Omit<Awaited<ReturnType<typeof listAccounts>>[number], "id" | "tokens">

function accountRow({ email, plan, requestLimit, createdAt, disabledAt }: AccountFacts) {
  const limit = limitOf(plan, requestLimit)
  return {
    email,
    plan,
    requests_per_hour: Number.isFinite(limit) ? limit : "unlimited",
    created_at: createdAt,
    disabled_at: disabledAt,
  }
}

/** Prints a new link. @throws AccountError */
async function printLink(pool: Pool, config: Config, email: string, next?: string): Promise<void> {
  const secret = await issueLink(pool, email, new Date())
  await printSecret(
    addressForLinks(config) + linkPath(secret, next),
    `The link cannot be shown again: make another with \`mds account link ${email}\``,
  )
  logToStderr(`The link signs in once, within ${validMinutes} minutes`)
}
