/** Accounts as admins see and change them in the pages. Admins are the accounts on the plan `admin`. */
import { eq, sql } from "drizzle-orm"
import { accounts, type Plan, tokens, usageDays, usageHours } from "../db/account-tables.ts"
import type { Pool } from "../db/pool/pool.ts"
import { fold } from "../text/fold.ts"
import { storableText } from "../text/storable-text.ts"
import { writeDisabled, writePlan } from "./accounts.ts"
import { AccountError, type Changed, change, type Editor, type Transaction } from "./change.ts"
import { isValidToken } from "./token-rows.ts"
import { firstShownDay, firstShownHour } from "./usage-overview.ts"

export interface AccountSummary {
  id: number
  email: string
  plan: Plan
  /** Requests per window of the enterprise plan; null on the others. */
  requestLimit: number | null
  createdAt: string
  disabledAt: string | null
  /** Tokens that are neither revoked nor expired. */
  validTokens: number
  requestsOfLastDay: number
  requestsOfLast30Days: number
}

export interface AccountsPage {
  accounts: AccountSummary[]
  /** How many match the search. */
  total: number
  /** The `after` of the next page; null after the last one. */
  next: string | null
}

const accountsPerPage = 50

/**
 * Accounts by email address. The use of the last seconds is not yet counted.
 * @param search a part of the email address; empty for all accounts
 * @param after the `next` of the page before; empty for the first one
 */
export async function searchAccounts(
  pool: Pool,
  { search, after, now }: { search: string; after: string; now: Date },
): Promise<AccountsPage> {
  const pattern = `%${fold(storableText(search)).replace(/[\\%_]/g, "\\$&")}%`
  const matches = sql`email_folded like ${pattern}`
  const ofPage = sql`where ${matches} and email_folded > ${storableText(after)} order by email_folded limit ${accountsPerPage + 1}`
  const [rows, total] = await Promise.all([
    readSummaries(pool, ofPage, now),
    pool.run(() => pool.db.$count(accounts, matches)),
  ])
  const found = rows.slice(0, accountsPerPage)
  const last = found.at(-1)
  const next = rows.length > accountsPerPage && last ? fold(last.email) : null
  return { accounts: found, total, next }
}

/** @returns undefined where there is no such account */
export async function findAccount(
  pool: Pool,
  id: number,
  now: Date,
): Promise<AccountSummary | undefined> {
  return (await readSummaries(pool, sql`where id = ${id}`, now))[0]
}

interface SummaryRow extends Record<string, unknown> {
  id: string
  email: string
  plan: Plan
  request_limit: number | null
  created_at: string
  disabled_at: string | null
  valid_tokens: string
  last_day: string
  last_30_days: string
}

/** The figures are computed for the accounts of the page alone. */
async function readSummaries(
  pool: Pool,
  page: ReturnType<typeof sql>,
  now: Date,
): Promise<AccountSummary[]> {
  const firstHour = new Date(firstShownHour(now.getTime())).toISOString()
  const firstDay = new Date(firstShownDay(now.getTime())).toISOString().slice(0, 10)
  const utc = sql.raw(`at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'`)
  const rows = await pool.run(() =>
    pool.db.execute<SummaryRow>(sql`
      select id, email, plan, request_limit,
        to_char(created_at ${utc}) as created_at, to_char(disabled_at ${utc}) as disabled_at,
        (select count(*) from ${tokens} where account_id = of.id and ${isValidToken(now)}) as valid_tokens,
        (select coalesce(sum(requests), 0) from ${usageHours}
          where account_id = of.id and hour >= ${firstHour}::timestamptz) as last_day,
        (select coalesce(sum(requests), 0) from ${usageDays}
          where account_id = of.id and day >= ${firstDay}::date) as last_30_days
      from (select * from ${accounts} ${page}) as of order by email_folded`),
  )
  return rows.map((row) => ({
    id: Number(row.id),
    email: row.email,
    plan: row.plan,
    requestLimit: row.request_limit,
    createdAt: row.created_at,
    disabledAt: row.disabled_at,
    validTokens: Number(row.valid_tokens),
    requestsOfLastDay: Number(row.last_day),
    requestsOfLast30Days: Number(row.last_30_days),
  }))
}

/** An account to change, and the admin who does it. */
export interface ByAdmin {
  adminId: number
  accountId: number
}

/** @throws AccountError where the limit does not fit the plan, or the admin would no longer be one */
export function setPlanAsAdmin(
  editor: Editor,
  { plan, requestLimit, ...by }: ByAdmin & { plan: Plan; requestLimit: number | null },
): Promise<Changed<void>> {
  return change(editor, async (tx) => {
    const account = await accountForAdmin(tx, by)
    if (by.adminId === by.accountId && plan !== "admin") {
      throw new AccountError(
        "You can't take the admin plan from your own account. Ask another admin to do it",
      )
    }
    await writePlan(tx, account, { plan, requestLimit })
  })
}

/** @throws AccountError where it is the admin's own account, or already in that state */
export function setDisabledAsAdmin(
  editor: Editor,
  { disabled, ...by }: ByAdmin & { disabled: boolean },
): Promise<Changed<void>> {
  return change(editor, async (tx) => {
    const account = await accountForAdmin(tx, by)
    if (by.adminId === by.accountId) {
      throw new AccountError("You can't disable your own account. Ask another admin to do it")
    }
    await writeDisabled(tx, account, disabled)
  })
}

/** Checked where the change is made: the page may have been opened before the admin ceased to be one. */
async function accountForAdmin(tx: Transaction, { adminId, accountId }: ByAdmin) {
  const [admin] = await tx
    .select({ plan: accounts.plan, disabledAt: accounts.disabled_at })
    .from(accounts)
    .where(eq(accounts.id, adminId))
    .for("share")
  if (admin?.plan !== "admin" || admin.disabledAt !== null) {
    throw new AccountError("Only admins can change accounts")
  }
  const [account] = await tx
    .select({ email: accounts.email })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  return { where: eq(accounts.id, accountId), name: account?.email ?? String(accountId) }
}
