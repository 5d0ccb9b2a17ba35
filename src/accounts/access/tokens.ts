/**
 * Changes of tokens: owners create, rename and revoke the tokens of their account in the account area;
 * operators issue and revoke any token by its prefix on the command line.
 */
import { and, eq, like, sql } from "drizzle-orm"
import { accountsTable, tokensTable } from "../../data/db/account-tables.ts"
import { addAccount, existingAccount } from "./accounts.ts"
import { AccountError, type Changed, change, type Editor, type Transaction } from "./change.ts"
import { createToken, hashSecret, prefixOf } from "./secret.ts"
import { isValidToken, type TokenOfAccount } from "./token-list.ts"

/** The most valid tokens of an account in the account area. */
const maxTokens = 100

export interface NewToken {
  /** The purpose of the token. */
  name: string
  /** When it is created, by the clock that `expiresAt` follows. */
  now?: Date
  expiresAt: Date | null
}

/**
 * Issues a token of an account, and creates a missing account on the standard plan.
 * @returns the token, which is not stored and cannot be shown again
 * @throws AccountError where the name or the email address is not valid, or the account is disabled
 */
export function issueToken(
  editor: Editor,
  { email, ...row }: NewToken & { email: string },
): Promise<Changed<string>> {
  return change(editor, async (tx) => {
    await addAccount(tx, { email, plan: "standard", requestLimit: null })
    const { id } = await existingAccount(tx, email)
    await lockAccount(tx, id)
    return (await addToken(tx, id, row)).token
  })
}

/** @throws AccountError where the name is not valid, or the account is disabled or has enough tokens */
export function createOwnToken(
  editor: Editor,
  { accountId, ...row }: Required<NewToken> & { accountId: number },
): Promise<Changed<MadeToken>> {
  return change(editor, async (tx) => {
    await lockAccount(tx, accountId)
    const ofAccount = eq(tokensTable.account_id, accountId)
    if ((await tx.$count(tokensTable, and(ofAccount, isValidToken(row.now)))) >= maxTokens) {
      throw new AccountError(
        `An account can have ${maxTokens} valid tokens. Revoke one that is no longer used, then try again`,
      )
    }
    return addToken(tx, accountId, row)
  })
}

/** @throws AccountError if the token does not exist or is revoked, or the name is invalid */
export function renameOwnToken(
  editor: Editor,
  { name, ...of }: TokenOfAccount & Pick<NewToken, "name">,
): Promise<Changed<void>> {
  return change(editor, async (tx) => {
    const { id } = await findUnrevoked(tx, of)
    await tx
      .update(tokensTable)
      .set({ name: nameOf("token", name) })
      .where(eq(tokensTable.id, id))
  })
}

/**
 * Revokes a token, from the next request on.
 * @throws AccountError if no token or more than one has the prefix, or the token is already revoked
 */
export function revokeToken(
  editor: Editor,
  which: TokenSelector,
): Promise<Changed<{ name: string; prefix: string }>> {
  return change(editor, async (tx) => {
    const { id, name, prefix } = await findUnrevoked(tx, which)
    await tx.update(tokensTable).set({ revoked_at: sql`now()` }).where(eq(tokensTable.id, id))
    return { name, prefix }
  })
}

/** A token by its owner's account and its number, or by the first characters of its text. */
export type TokenSelector = TokenOfAccount | { prefix: string }

/**
 * Finds a token and locks it until the transaction ends.
 * @throws AccountError where no token or several tokens have the prefix, or the token is revoked or another
 * account's
 */
async function findUnrevoked(tx: Transaction, which: TokenSelector) {
  const isPrefix = "prefix" in which
  const found = await tx
    .select({
      id: tokensTable.id,
      prefix: tokensTable.prefix,
      name: tokensTable.name,
      email: accountsTable.email,
      revokedAt: tokensTable.revoked_at,
    })
    .from(tokensTable)
    .innerJoin(accountsTable, eq(accountsTable.id, tokensTable.account_id))
    .where(
      isPrefix
        ? beginsWith(which.prefix)
        : and(eq(tokensTable.account_id, which.accountId), eq(tokensTable.id, which.tokenId)),
    )
    .orderBy(tokensTable.id)
    .for("update", { of: tokensTable })
  const [token, ...others] = found
  if (!token) {
    throw new AccountError(isPrefix ? "No token has this prefix" : "There is no such token")
  }
  if (others.length > 0) {
    const shown = found.map((each) => `${each.prefix} (${each.name}, ${each.email})`).join("; ")
    throw new AccountError(`Several tokens have this prefix, give more characters: ${shown}`)
  }
  if (token.revokedAt !== null) throw new AccountError("The token is already revoked")
  return token
}

/** If `start` is longer than the stored prefix, it must be a whole token, which is found by its hash. */
function beginsWith(start: string) {
  if (!/^mds_[0-9A-Za-z]+$/.test(start)) {
    throw new AccountError(
      "A token is identified by its prefix: mds_ and at least one more character",
    )
  }
  const stored = prefixOf(start)
  return start.length > stored.length
    ? and(eq(tokensTable.prefix, stored), eq(tokensTable.sha256, hashSecret(start)))
    : like(tokensTable.prefix, `${start.replaceAll("_", "\\_")}%`)
}

/** A new token. Its text is not stored and cannot be shown again. */
export type MadeToken = Awaited<ReturnType<typeof addToken>>

async function addToken(
  tx: Transaction,
  accountId: number,
  { now = new Date(), expiresAt, name }: NewToken,
) {
  const token = createToken()
  const made = { name: nameOf("token", name), prefix: prefixOf(token) }
  await tx.insert(tokensTable).values({
    ...made,
    account_id: accountId,
    sha256: hashSecret(token),
    created_at: now.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
  })
  return { ...made, token }
}

/**
 * Locks an account, so that its tokens and watches are counted and added by one transaction at a time.
 * @throws AccountError where it is disabled or was deleted
 */
export async function lockAccount(tx: Transaction, accountId: number): Promise<void> {
  const [account] = await tx
    .select({ disabledAt: accountsTable.disabled_at })
    .from(accountsTable)
    .where(eq(accountsTable.id, accountId))
    .for("no key update")
  if (!account) throw new AccountError("The account was deleted")
  if (account.disabledAt !== null) throw new AccountError("The account is disabled")
}

/** Characters in the name of a token or a watch. */
export const maxNameLength = 100

/** The name of a token or a watch, trimmed. @throws AccountError */
export function nameOf(what: "token" | "watch", text: string): string {
  const name = text.trim()
  if (name === "") throw new AccountError(`A ${what} requires a name`)
  if ([...name].length > maxNameLength) {
    throw new AccountError(`The name of a ${what} has at most ${maxNameLength} characters`)
  }
  // Marks that change the direction of text could disguise a name.
  if (/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(name) || !name.isWellFormed()) {
    throw new AccountError(`The name of a ${what} must not contain control characters`)
  }
  return name
}
