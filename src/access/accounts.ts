/** Creating, changing and listing accounts, for the command line. */
import { asc, eq, sql } from "drizzle-orm"
import { accessChanges, accounts, type Plan, tokens } from "../db/account-tables.ts"
import type { Pool } from "../db/pool/pool.ts"
import { instantText } from "../resources/values.ts"
import { fold } from "../text/fold.ts"
import { AccountError, type Changed, change, type Editor, type Transaction } from "./change.ts"

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
  if (!/^[^\s@]+@[^\s@]+$/.test(email))
    throw new AccountError(`Not a valid email address: ${email}`)
  checkLimit(plan, requestLimit)
  const added = await tx
    .insert(accounts)
    .values({ email, email_folded: fold(email), plan, request_limit: requestLimit })
    .onConflictDoNothing()
    .returning({ id: accounts.id })
  return added.length > 0
}

/** @throws AccountError where the account does not exist or the limit does not fit the plan */
export function setPlan(
  editor: Editor,
  { email, plan, requestLimit }: NewAccount,
): Promise<Changed<void>> {
  return change(editor, async (tx) => {
    checkLimit(plan, requestLimit)
    const set = await tx
      .update(accounts)
      .set({ plan, request_limit: requestLimit })
      .where(byEmail(email))
      .returning({ id: accounts.id })
    if (set.length === 0) throw notFound(email)
  })
}

/**
 * Disables an account, so that its tokens are refused, or enables it again.
 * @throws AccountError where the account does not exist or is already in that state
 */
export function setDisabled(
  editor: Editor,
  email: string,
  disabled: boolean,
): Promise<Changed<void>> {
  return change(editor, async (tx) => {
    const [account] = await tx
      .select({ isDisabled: sql<boolean>`${accounts.disabled_at} is not null` })
      .from(accounts)
      .where(byEmail(email))
      .for("update")
    if (!account) throw notFound(email)
    if (account.isDisabled === disabled) {
      throw new AccountError(`Account ${email} is ${disabled ? "already" : "not"} disabled`)
    }
    await tx
      .update(accounts)
      .set({ disabled_at: disabled ? sql`now()` : null })
      .where(byEmail(email))
  })
}

const accountColumns = {
  email: accounts.email,
  plan: accounts.plan,
  requestLimit: accounts.request_limit,
  createdAt: instantText(accounts.created_at),
  disabledAt: instantText(accounts.disabled_at),
}

export const listAccounts = (pool: Pool) =>
  pool.run(() =>
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

/** An account with its tokens and its audit log, oldest first. @throws AccountError where it does not exist */
export async function showAccount(pool: Pool, email: string) {
  const { id, ...account } = await findAccount(pool, email)
  const [accountTokens, changes] = await Promise.all([tokensOf(pool, id), changesOf(pool, id)])
  return { ...account, tokens: accountTokens, changes }
}

/** The tokens of an account, oldest first. @throws AccountError where it does not exist */
export async function listTokens(pool: Pool, email: string) {
  return tokensOf(pool, (await findAccount(pool, email)).id)
}

async function findAccount(pool: Pool, email: string) {
  const [found] = await pool.run(() =>
    pool.db
      .select({ id: accounts.id, ...accountColumns })
      .from(accounts)
      .where(byEmail(email)),
  )
  if (!found) throw notFound(email)
  return found
}

const tokensOf = (pool: Pool, accountId: number) =>
  pool.run(() =>
    pool.db
      .select({
        prefix: tokens.prefix,
        name: tokens.name,
        createdAt: instantText(tokens.created_at),
        lastUsedAt: instantText(tokens.last_used_at),
        expiresAt: instantText(tokens.expires_at),
        revokedAt: instantText(tokens.revoked_at),
      })
      .from(tokens)
      .where(eq(tokens.account_id, accountId))
      .orderBy(asc(tokens.id)),
  )

const changesOf = (pool: Pool, accountId: number) =>
  pool.run(() =>
    pool.db
      .select({
        at: instantText(accessChanges.at),
        tokenPrefix: accessChanges.token_prefix,
        action: accessChanges.action,
        columns: accessChanges.columns,
        who: accessChanges.who,
        origin: accessChanges.origin,
      })
      .from(accessChanges)
      .where(eq(accessChanges.account_id, accountId))
      .orderBy(asc(accessChanges.id)),
  )

function checkLimit(plan: Plan, requestLimit: number | null): void {
  if (plan === "enterprise" && requestLimit === null) {
    throw new AccountError("The enterprise plan requires a limit")
  }
  if (plan !== "enterprise" && requestLimit !== null) {
    throw new AccountError(`The limit of the ${plan} plan is fixed`)
  }
}

const notFound = (email: string) => new AccountError(`Account ${email} does not exist`)

export const byEmail = (email: string) => eq(accounts.email_folded, fold(email))
