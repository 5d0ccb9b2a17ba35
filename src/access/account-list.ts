/** Accounts as operators see them on the command line. */
import { and, asc, eq, isNull, type SQL, sql } from "drizzle-orm"
import { accessChanges, accounts, tokens } from "../db/account-tables.ts"
import type { Pool } from "../db/pool/pool.ts"
import { instantText } from "../resources/values.ts"
import { fold } from "../text/fold.ts"
import { readAudit } from "./audit.ts"
import { AccountError, type Transaction } from "./change.ts"
import { listOwnTokens } from "./token-list.ts"

const columns = {
  id: accounts.id,
  email: accounts.email,
  plan: accounts.plan,
  /** Requests per window of the enterprise plan; null on the others. */
  requestLimit: accounts.request_limit,
  createdAt: sql<string>`${instantText(accounts.created_at)}`,
  disabledAt: instantText(accounts.disabled_at),
}

export const byEmail = (email: string): SQL => eq(accounts.email_folded, fold(email))

export const notFound = (name: string) => new AccountError(`Account ${name} does not exist`)

/** The account with this email address. */
export async function accountByEmail(db: Pick<Transaction, "select">, email: string) {
  const [found] = await db.select(columns).from(accounts).where(byEmail(email))
  return found
}

/** The account with this email address. @throws AccountError where it does not exist */
export async function existingAccount(db: Pick<Transaction, "select">, email: string) {
  const found = await accountByEmail(db, email)
  if (!found) throw notFound(email)
  return found
}

/** All accounts by email address, with how many tokens of each are not revoked. */
export const listAccounts = (pool: Pool) =>
  pool.runAlone(null, (db) =>
    db
      .select({
        ...columns,
        tokens: pool.db.$count(
          tokens,
          and(eq(tokens.account_id, accounts.id), isNull(tokens.revoked_at)),
        ),
      })
      .from(accounts)
      .orderBy(asc(accounts.email_folded)),
  )

/** How many entries of the audit log are shown. */
const shownChanges = 100

/**
 * An account with its tokens and the newest entries of its audit log, both oldest first.
 * @throws AccountError where it does not exist
 */
export async function showAccount(pool: Pool, email: string, now = new Date()) {
  const account = await pool.runAlone(null, (db) => existingAccount(db, email))
  const [found, { entries }, total] = await Promise.all([
    listOwnTokens(pool, account.id, { now, ended: null }),
    readAudit(pool, account.id, null, shownChanges),
    pool.runAlone(null, (db) => db.$count(accessChanges, eq(accessChanges.account_id, account.id))),
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
  const { id } = await pool.runAlone(null, (db) => existingAccount(db, email))
  return (await listOwnTokens(pool, id, { now, ended: null })).toReversed()
}
