/** Creating, changing and disabling accounts, which operators do on the command line. */
import { sql } from "drizzle-orm"
import { accounts, highestRequestLimit, type Plan } from "../db/account-tables.ts"
import { isEmailAddress } from "../text/email-address.ts"
import { fold } from "../text/fold.ts"
import { byEmail, notFound } from "./account-list.ts"
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
    if (await addAccount(tx, account)) return
    throw new AccountError(`Account ${account.email} already exists`)
  })
}

/**
 * Adds an account, unless one with that email address exists.
 * @returns whether it was added
 * @throws AccountError where the email address is invalid or the limit does not fit the plan
 */
export async function addAccount(
  tx: Transaction,
  { email, plan, requestLimit }: NewAccount,
): Promise<boolean> {
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
 * Disables an account, so that its tokens and sessions are refused, or enables it again.
 * @throws AccountError where the account does not exist or is already in that state
 */
export function setDisabled(
  editor: Editor,
  email: string,
  disabled: boolean,
): Promise<Changed<void>> {
  return change(editor, async (tx) => {
    const [account] = await tx
      .select({ disabledAt: accounts.disabled_at })
      .from(accounts)
      .where(byEmail(email))
      // Keeps nobody from counting the account's requests.
      .for("no key update")
    if (!account) throw notFound(email)
    if ((account.disabledAt !== null) === disabled) {
      throw new AccountError(`Account ${email} is ${disabled ? "already" : "not"} disabled`)
    }
    await tx
      .update(accounts)
      .set({ disabled_at: disabled ? sql`now()` : null })
      .where(byEmail(email))
  })
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
