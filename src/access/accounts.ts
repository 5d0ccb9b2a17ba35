/** Creating, changing and listing accounts, for the command line. */
import { asc, eq, type SQL, sql } from "drizzle-orm"
import {
  accessChanges,
  accounts,
  highestRequestLimit,
  type Plan,
  tokens,
} from "../db/account-tables.ts"
import type { Pool } from "../db/pool/pool.ts"
import { instantText } from "../resources/values.ts"
import { isEmailAddress } from "../text/email-address.ts"
import { fold } from "../text/fold.ts"
import { readAudit } from "./audit.ts"
import { AccountError, type Changed, change, type Editor, type Transaction } from "./change.ts"
import { listOwnTokens } from "./token-list.ts"

export interface NewAccount {
  email: string
  plan: Plan
  /** Requests per window; only for the enterprise plan. */
  requestLimit: number | null
}

/** @throws AccountError where the email address is invalid or taken, or the limit does not fit the plan */
export function createAccount(editor: Editor, account: NewAccount): Promise<Changed<void>> {
  return change(editor, async (tx) => {
    const { email } = account
    if (!(await addAccount(tx, account))) {
      throw new AccountError(`Account ${email} already exists`)
    }
  })
}

/**
 * Adds an account, unless one with that email address exists.
 * @returns whether it was added
 * @throws AccountError where the email address is invalid or the limit does not fit the plan
 */
export async function addAccount(tx: Transaction, account: NewAccount): Promise<boolean> {
  const { email, plan, requestLimit } = account
  if (!isEmailAddress(email)) throw new AccountError(`Not a valid email address: ${email}`)
  checkLimit(plan, requestLimit)
  const added = await tx
    .insert(accounts)
    .values({ email, email_folded: fold(email), plan, request_limit: requestLimit })
    .onConflictDoNothing()
    .returning({ id: accounts.id })
  return added.length > 0
}

/** @throws AccountError where the account does not exist or the limit does not fit the plan */
export function setPlan(editor: Editor, { email, ...allowed }: NewAccount): Promise<Changed<void>> {
  return change(editor, (tx) => writePlan(tx, { where: byEmail(email), name: email }, allowed))
}

/**
 * Disables an account, so that its tokens and sessions are refused, or enables it again.
 * @throws AccountError where the account does not exist or is already in that state
 */
export function setDisabled(
  editor: Editor,
  email: string,
  disabled: boolean,
): Promise<Changed<void>> {
  return change(editor, (tx) => writeDisabled(tx, { where: byEmail(email), name: email }, disabled))
}

/** An account to change, and how messages call it. */
export interface AccountToChange {
  where: SQL
  name: string
}

export async function writePlan(
  tx: Transaction,
  { where, name }: AccountToChange,
  { plan, requestLimit }: Omit<NewAccount, "email">,
): Promise<void> {
  checkLimit(plan, requestLimit)
  const set = await tx
    .update(accounts)
    .set({ plan, request_limit: requestLimit })
    .where(where)
    .returning({ id: accounts.id })
  if (set.length === 0) throw notFound(name)
}

export async function writeDisabled(
  tx: Transaction,
  { where, name }: AccountToChange,
  disabled: boolean,
): Promise<void> {
  const [account] = await tx
    .select({ isDisabled: sql<boolean>`${accounts.disabled_at} is not null` })
    .from(accounts)
    .where(where)
    .for("no key update")
  if (!account) throw notFound(name)
  if (account.isDisabled === disabled) {
    throw new AccountError(`Account ${name} is ${disabled ? "already" : "not"} disabled`)
  }
  await tx
    .update(accounts)
    .set({ disabled_at: disabled ? sql`now()` : null })
    .where(where)
}

const accountColumns = {
  email: accounts.email,
  plan: accounts.plan,
  requestLimit: accounts.request_limit,
  createdAt: instantText(accounts.created_at),
  disabledAt: instantText(accounts.disabled_at),
}

export const listAccounts = (pool: Pool) =>
  pool.runAlone(null, () =>
    pool.db
      .select({
        ...accountColumns,
        tokens:
          sql<number>`count(${tokens.id}) filter (where ${tokens.revoked_at} is null)`.mapWith(
            Number,
          ),
      })
      .from(accounts)
      .leftJoin(tokens, eq(tokens.account_id, accounts.id))
      .groupBy(accounts.id)
      .orderBy(asc(accounts.email_folded)),
  )

/** How many entries of the audit log are shown. */
const shownChanges = 100

/**
 * An account with its tokens and the newest entries of its audit log, both oldest first.
 * @throws AccountError where it does not exist
 */
export async function showAccount(pool: Pool, email: string, now = new Date()) {
  const { id, ...account } = await existing(pool, email)
  const [found, { entries }, total] = await Promise.all([
    listOwnTokens(pool, id, { now, ended: null }),
    readAudit(pool, id, null, shownChanges),
    pool.runAlone(null, () => pool.db.$count(accessChanges, eq(accessChanges.account_id, id))),
  ])
  return {
    ...account,
    tokens: found.toReversed(),
    changes: entries.toReversed(),
    /** How many entries are older than those. */
    earlierChanges: Math.max(0, total - entries.length),
  }
}

/** The tokens of an account, oldest first. @throws AccountError where it does not exist */
export async function listTokens(pool: Pool, email: string, now = new Date()) {
  const { id } = await existing(pool, email)
  return (await listOwnTokens(pool, id, { now, ended: null })).toReversed()
}

/** The account with this email address. */
export async function accountByEmail(db: Pick<Transaction, "select">, email: string) {
  const [found] = await db
    .select({ id: accounts.id, ...accountColumns })
    .from(accounts)
    .where(byEmail(email))
  return found
}

/** The account with this email address. @throws AccountError where it does not exist */
export async function existingAccount(db: Pick<Transaction, "select">, email: string) {
  const found = await accountByEmail(db, email)
  if (!found) throw notFound(email)
  return found
}

const existing = (pool: Pool, email: string) =>
  pool.runAlone(null, () => existingAccount(pool.db, email))

/** What an entry of the audit log is about: a token by its prefix, or else a word. */
export function subjectOf({
  tokenPrefix,
  columns,
}: {
  tokenPrefix: string | null
  columns: Readonly<Record<string, unknown>>
}): string {
  if (tokenPrefix !== null) return tokenPrefix
  if ("signed_in_at" in columns) return "session"
  return "password_set_at" in columns ? "password" : "account"
}

function checkLimit(plan: Plan, requestLimit: number | null): void {
  if (plan === "enterprise" && requestLimit === null) {
    throw new AccountError("The enterprise plan requires a limit")
  }
  if (requestLimit !== null && requestLimit > highestRequestLimit) {
    throw new AccountError(`The limit must be at most ${highestRequestLimit} requests an hour`)
  }
  if (plan !== "enterprise" && requestLimit !== null) {
    throw new AccountError(`The limit of the ${plan} plan is fixed`)
  }
}

const notFound = (email: string) => new AccountError(`Account ${email} does not exist`)

export const byEmail = (email: string): SQL => eq(accounts.email_folded, fold(email))
