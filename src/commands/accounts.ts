import { Argument, type Command, Option } from "commander"
import {
  createAccount,
  listAccounts,
  setDisabled,
  setPlan,
  showAccount,
} from "../access/accounts.ts"
import { columnsText, subjectOf } from "../access/audit.ts"
import { limitOf } from "../access/plan.ts"
import type { Config } from "../config.ts"
import { type Plan, plans } from "../db/account-tables.ts"
import { integer } from "./arguments.ts"
import { editorOf, usePool, withDatabase, withEditor, withPool } from "./database.ts"
import { addSignInCommands, printLink } from "./sign-in.ts"
import { formatTable, logToStderr, printResult, warnIfUnconfirmed } from "./terminal.ts"
import { tokenTable } from "./tokens.ts"

export function addAccountCommands(program: Command, config: () => Config): void {
  const account = program.command("account").description("manage accounts and their plans")
  const limit = () =>
    new Option("--limit <requests>", "requests per hour, for the enterprise plan only").argParser(
      integer(1, 2_147_483_646),
    )

  account
    .command("create")
    .description("create an account and print a one-time link to sign in with")
    .argument("<email>")
    .addOption(
      new Option("--plan <plan>", "plan of the account").choices(plans).default("standard"),
    )
    .addOption(limit())
    .action(async (email: string, { plan, limit }: { plan: Plan; limit?: number }) => {
      const settings = config()
      await withDatabase(settings, async (database) => {
        const account = { email, plan, requestLimit: limit ?? null }
        await createAccount(editorOf(settings, database), account)
        logToStderr(`Created account ${email} on the ${plan} plan`)
        await usePool(database, (pool) => printLink(pool, settings, email))
      })
    })

  account
    .command("list")
    .description("list all accounts")
    .action(async () => {
      const accounts = await withPool(config(), listAccounts)
      const rows = accounts.map(({ email, plan, requestLimit, tokens, createdAt, disabledAt }) =>
        [email, plan, perHour(plan, requestLimit), String(tokens), createdAt, disabledAt].map(
          (cell) => cell ?? "-",
        ),
      )
      await printResult(
        formatTable(["email", "plan", "per hour", "tokens", "created", "disabled"], rows),
      )
    })

  account
    .command("show")
    .description("show an account, its tokens and the audit log of both")
    .argument("<email>")
    .action(async (email: string) => {
      const shown = await withPool(config(), (pool) => showAccount(pool, email))
      await printResult(accountText(shown))
    })

  account
    .command("set-plan")
    .description("change the plan of an account, from the next request on")
    .argument("<email>")
    .addArgument(new Argument("<plan>").choices(plans))
    .addOption(limit())
    .action(async (email: string, plan: Plan, { limit }: { limit?: number }) => {
      const { unconfirmed } = await withEditor(config(), (editor) =>
        setPlan(editor, { email, plan, requestLimit: limit ?? null }),
      )
      logToStderr(`Changed account ${email} to the ${plan} plan`)
      warnIfUnconfirmed(unconfirmed)
    })

  for (const [name, disabled] of [
    ["disable", true],
    ["enable", false],
  ] as const) {
    account
      .command(name)
      .description(
        `${disabled ? "reject" : "accept"} all tokens and sessions of an account from the next request on`,
      )
      .argument("<email>")
      .action(async (email: string) => {
        const { unconfirmed } = await withEditor(config(), (editor) =>
          setDisabled(editor, email, disabled),
        )
        logToStderr(`${disabled ? "Disabled" : "Enabled"} account ${email}`)
        warnIfUnconfirmed(unconfirmed)
      })
  }

  addSignInCommands(account, config)
}

type Shown = Awaited<ReturnType<typeof showAccount>>

function accountText({ email, plan, requestLimit, createdAt, disabledAt, ...of }: Shown): string {
  const facts = [
    ["email", email],
    ["plan", plan],
    ["per hour", perHour(plan, requestLimit)],
    ["created", createdAt],
    ["disabled", disabledAt ?? "-"],
  ]
  const changes = of.changes.map((change) => [
    change.at,
    subjectOf(change),
    change.action,
    columnsText(change),
    change.who,
    change.origin,
  ])
  return [
    formatTable(facts[0] ?? [], facts.slice(1)),
    tokenTable(of.tokens),
    ...earlierText(of.earlierChanges),
    formatTable(["changed at", "what", "change", "columns", "by", "from"], changes),
  ].join("\n\n")
}

const earlierText = (count: number): string[] =>
  count === 0
    ? []
    : [`${count} earlier changes are not shown; the owner's page /account/audit has them`]

function perHour(plan: Plan, requestLimit: number | null): string {
  const limit = limitOf(plan, requestLimit)
  return Number.isFinite(limit) ? String(limit) : "unlimited"
}
