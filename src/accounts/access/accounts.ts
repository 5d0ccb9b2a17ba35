/** Accounts, which operators create, change, disable and list on the command line. */
import { and, asc, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm"
import {
  type AccountPlan,
  accessChanges,
  accountsTable,
  tokensTable,
} from "../../data/db/account-tables.ts"
import type { Pool } from "../../data/db/pool/pool.ts"
import { sessions } from "../../data/db/sign-in-tables.ts"
import { instantText } from "../../data/resources/values.ts"
import { isEmailAddress } from "../../system/text/email-address.ts"
import { fold } from "../../system/text/fold.ts"
import { readAudit } from "./audit.ts"
import { AccountError, type Changed, change, type Editor, type Transaction } from "./change.ts"
import { readTokens } from "./token-list.ts"

const columns = {
  id: accountsTable.id,
  email: accountsTable.email,
  plan: accountsTable.plan,
  /** Requests per window of the enterprise plan; null on the others. */
  requestLimit: accountsTable.request_limit,
  createdAt: sql<string>`${instantText(accountsTable.created_at)}`,
  disabledAt: instantText(accountsTable.disabled_at),
}

export const byEmail = (email: string): SQL => eq(accountsTable.email_folded, fold(email))

export type Account = NonNullable<Awaited<ReturnType<typeof accountByEmail>>>

/** The account with this email address. */
export async function accountByEmail(db: Pick<Transaction, "select">, email: string) {
  const [found] = await db.select(columns).from(accountsTable).where(byEmail(email))
  return found
}

/** The account with this email address. @throws AccountError where it does not exist */
export async function existingAccount(db: Pick<Transaction, "select">, email: string) {
  const found = await accountByEmail(db, email)
  if (!found)
    throw new AccountError(
      `Account ${email} does not exist. Check the address, or run \`mds account create ${email}\``,
    )
  return found
}

/** The number of the account with this email address. @throws AccountError where it does not exist */
export const accountIdOf = (pool: Pool, email: string): Promise<number> =>
  pool.runAlone(null, async (db) => (await existingAccount(db, email)).id)

/** All accounts by email address, each with the number of its tokens that are not revoked. */
export const listAccounts = (pool: Pool) =>
  pool.runAlone(null, (db) =>
    db
      .select({
        ...columns,
        tokens: pool.db.$count(
          tokensTable,
          and(eq(tokensTable.account_id, accountsTable.id), isNull(tokensTable.revoked_at)),
        ),
      })
      .from(accountsTable)
      .orderBy(asc(accountsTable.email_folded)),
  )

/** The number of audit entries shown. */
const shownChanges = 100

/**
 * An account with its tokens and the newest entries of its audit log, both oldest first.
 * @throws AccountError where it does not exist
 */
export async function showAccount(pool: Pool, email: string) {
  const account = await pool.runAlone(null, (db) => existingAccount(db, email))
  const [found, { entries }, total] = await Promise.all([
    readTokens(pool, account.id, new Date()),
    readAudit(pool, account.id, null, shownChanges),
    pool.runAlone(null, (db) => db.$count(accessChanges, eq(accessChanges.account_id, account.id))),
  ])
  return {
    ...account,
    tokens: found.toReversed(),
    changes: entries.toReversed(),
    /** The number of entries that are older than the shown ones. */
    earlierChanges: Math.max(0, total - entries.length),
  }
}

export interface NewAccount {
  email: string
  plan: AccountPlan
  /** Requests per window: of the enterprise plan, and only of it. The database rejects others. */
  requestLimit: number | null
}

/** @throws AccountError where the email address is invalid or taken */
export function createAccount(editor: Editor, account: NewAccount): Promise<Changed<void>> {
  return change(editor, async (tx) => {
    if (await addAccount(tx, account)) return
    throw new AccountError(
      `Account ${account.email} already exists. Change its plan with \`mds account set-plan\``,
    )
  })
}

/**
 * Adds an account, unless one with that email address exists.
 * @returns whether it was added
 * @throws AccountError where the email address is invalid
 */
export async function addAccount(
  tx: Transaction,
  { email, plan, requestLimit }: NewAccount,
): Promise<boolean> {
  if (!isEmailAddress(email)) throw new AccountError(`Not a valid email address: ${email}`)
  const added = await tx
    .insert(accountsTable)
    .values({ email, email_folded: fold(email), plan, request_limit: requestLimit })
    .onConflictDoNothing()
    .returning({ id: accountsTable.id })
  return added.length > 0
}

/** @throws AccountError where the account does not exist */
export function setPlan(
  editor: Editor,
  { email, plan, requestLimit }: NewAccount,
): Promise<Changed<void>> {
  return change(editor, async (tx) => {
    const set = await tx
      .update(accountsTable)
      .set({ plan, request_limit: requestLimit })
      .where(byEmail(email))
      .returning({ id: accountsTable.id })
    if (set.length === 0) await existingAccount(tx, email)
  })
}

/**
 * Disables an account, so that the service rejects its tokens, and ends its sessions; or enables it and its
 * tokens again.
 * @throws AccountError where the account does not exist or is already in that state
 */
export function setDisabled(
  editor: Editor,
  email: string,
  disabled: boolean,
): Promise<Changed<void>> {
  return change(editor, async (tx) => {
    const disabledAt = accountsTable.disabled_at
    const isOther = disabled ? isNull(disabledAt) : isNotNull(disabledAt)
    const [set] = await tx
      .update(accountsTable)
      .set({ disabled_at: disabled ? sql`now()` : null })
      .where(and(byEmail(email), isOther))
      .returning({ id: accountsTable.id })
    if (!set) {
      await existingAccount(tx, email)
      throw new AccountError(`Account ${email} is ${disabled ? "already" : "not"} disabled`)
    }
    if (disabled) await tx.delete(sessions).where(eq(sessions.account_id, set.id))
  })
}
