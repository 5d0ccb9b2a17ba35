/**
 * Changes of tokens: owners create, edit, rotate and revoke the tokens of their account in the account area;
 * operators issue, rotate and revoke any token by its prefix on the command line.
 */
import { and, eq, sql } from "drizzle-orm"
import { accountsTable, tokensTable } from "../../data/db/account-tables.ts"
import { addAccount, existingAccount } from "./accounts.ts"
import { AccountError, type Changed, change, type Editor, type Transaction } from "./change.ts"
import { checkUnrevoked, type FoundToken, findToken, type TokenSelector } from "./find-token.ts"
import { createToken, hashSecret, prefixOf } from "./secret.ts"
import { isValidToken, type TokenOfAccount } from "./token-list.ts"

/** The most valid tokens of an account in the account area; and while some are being replaced. */
const maxTokens = 100
const maxTokensInRotation = 2 * maxTokens

export interface NewToken {
  /** The purpose of the token. */
  name: string
  /** When it is created, by the clock that `expiresAt` follows. */
  now: Date
  expiresAt: Date | null
  forSpreadsheets: boolean
}

/** A form of an owner. It makes one token, even if it is sent several times. */
export interface SentForm {
  /** A UUID. */
  formId: string
}

/** A new token. `token` is null if the same form made it before: it is not shown again. */
export interface MadeToken {
  token: string | null
  name: string
  prefix: string
}

export interface Rotation {
  /** The remaining validity of the old token, at most until its own expiry. */
  graceMs: number
  now: Date
}

/**
 * Issues a token of an account, and creates a missing account on the standard plan.
 * @returns the token, which is not stored and cannot be shown again
 * @throws AccountError where the name or the email address is not valid, or the account is disabled
 */
export function issueToken(
  editor: Editor,
  {
    email,
    now = new Date(),
    forSpreadsheets = false,
    ...row
  }: Pick<NewToken, "name" | "expiresAt"> & Partial<NewToken> & { email: string },
): Promise<Changed<string>> {
  return change(editor, async (tx) => {
    await addAccount(tx, { email, plan: "standard", requestLimit: null })
    const { id } = await existingAccount(tx, email)
    await lockAccount(tx, id)
    return (await addToken(tx, id, { ...row, now, forSpreadsheets })).token
  })
}

/** @throws AccountError where the name is not valid, or the account is disabled or has enough tokens */
export function createOwnToken(
  editor: Editor,
  { accountId, ...row }: NewToken & SentForm & { accountId: number },
): Promise<Changed<MadeToken>> {
  return change(editor, async (tx) => {
    await lockAccount(tx, accountId)
    const made = await madeWith(tx, accountId, row)
    if (made) return made
    await checkRoom(tx, accountId, row.now, maxTokens)
    return addToken(tx, accountId, row)
  })
}

/** @throws AccountError if the token does not exist or is revoked, or the name is invalid */
export function editOwnToken(
  editor: Editor,
  { name, forSpreadsheets, ...of }: TokenOfAccount & Pick<NewToken, "name" | "forSpreadsheets">,
): Promise<Changed<void>> {
  return change(editor, async (tx) => {
    const { id } = checkUnrevoked(await findToken(tx, of))
    const edited = { name: tokenName(name), for_spreadsheets: forSpreadsheets }
    await tx.update(tokensTable).set(edited).where(eq(tokensTable.id, id))
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
    const { id, name, prefix } = checkUnrevoked(await findToken(tx, which))
    await tx.update(tokensTable).set({ revoked_at: sql`now()` }).where(eq(tokensTable.id, id))
    return { name, prefix }
  })
}

/**
 * Replaces a token by a new one of the same name, purpose and lifetime.
 * @throws AccountError as revoking does, and where the token has expired or was replaced before
 */
export const rotateToken = (
  editor: Editor,
  { prefix, ...rotation }: Rotation & { prefix: string },
) => change(editor, async (tx) => replace(tx, await findToken(tx, { prefix }), rotation))

/** @throws AccountError as rotating does, and where the account is disabled */
export function rotateOwnToken(
  editor: Editor,
  { accountId, tokenId, ...rotation }: TokenOfAccount & Rotation & SentForm,
) {
  return change(editor, async (tx) => {
    await lockAccount(tx, accountId)
    const old = await findToken(tx, { accountId, tokenId })
    const made = await madeWith(tx, accountId, rotation)
    if (made) return { ...made, replaced: old.prefix, until: endOf(old) }
    checkUnrevoked(old)
    await checkRoom(tx, accountId, rotation.now, maxTokensInRotation)
    return replace(tx, old, rotation)
  })
}

async function addToken(
  tx: Transaction,
  accountId: number,
  { now, expiresAt, forSpreadsheets, ...row }: NewToken & Partial<SentForm>,
) {
  const token = createToken()
  const made = { name: tokenName(row.name), prefix: prefixOf(token) }
  await tx.insert(tokensTable).values({
    ...made,
    account_id: accountId,
    sha256: hashSecret(token),
    created_at: now.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
    for_spreadsheets: forSpreadsheets,
    form_id: row.formId ?? null,
  })
  return { ...made, token }
}

/**
 * @returns the new token, the prefix of the replaced one, and the end of its validity; null if it is revoked
 * @throws AccountError where the token is revoked, has expired or was replaced before, so that its expiry no
 * longer gives its lifetime
 */
async function replace(
  tx: Transaction,
  old: FoundToken,
  { graceMs, now, ...form }: Rotation & Partial<SentForm>,
) {
  const { expiresMs, lifetimeMs, name, forSpreadsheets } = checkUnrevoked(old)
  const nowMs = now.getTime()
  if (expiresMs !== null && expiresMs <= nowMs) throw new AccountError("The token has expired")
  if (old.replacedAt !== null) {
    throw new AccountError("The token was replaced already: rotate its successor")
  }
  const expiresAt = lifetimeMs === null ? null : new Date(nowMs + lifetimeMs)
  const made = await addToken(tx, old.accountId, { name, now, expiresAt, forSpreadsheets, ...form })
  // The column stores whole seconds.
  const endMs = Math.min(nowMs + graceMs, expiresMs ?? Number.POSITIVE_INFINITY)
  const until = graceMs === 0 ? null : new Date(Math.floor(endMs / 1000) * 1000)
  await tx
    .update(tokensTable)
    .set({
      replaced_at: now.toISOString(),
      ...(until ? { expires_at: until.toISOString() } : { revoked_at: sql`now()` }),
    })
    .where(eq(tokensTable.id, old.id))
  return { ...made, replaced: old.prefix, until }
}

/**
 * Locks an account, so that its tokens are counted and added by one transaction at a time.
 * @throws AccountError where it is disabled or was deleted
 */
async function lockAccount(tx: Transaction, accountId: number): Promise<void> {
  const [account] = await tx
    .select({ disabledAt: accountsTable.disabled_at })
    .from(accountsTable)
    .where(eq(accountsTable.id, accountId))
    .for("no key update")
  if (!account) throw new AccountError("The account was deleted")
  if (account.disabledAt !== null) throw new AccountError("The account is disabled")
}

/** @throws AccountError where the account has the most valid tokens that it may have */
async function checkRoom(tx: Transaction, accountId: number, now: Date, max: number) {
  const valid = await tx.$count(
    tokensTable,
    and(eq(tokensTable.account_id, accountId), isValidToken(now)),
  )
  if (valid < max) return
  throw new AccountError(
    `An account can have ${max} valid tokens${max === maxTokens ? "" : ", including those being replaced"}. Revoke one that is no longer used, then try again`,
  )
}

/** The token that the account created with this form. */
async function madeWith(tx: Transaction, accountId: number, { formId }: SentForm) {
  const [made] = await tx
    .select({ name: tokensTable.name, prefix: tokensTable.prefix })
    .from(tokensTable)
    .where(and(eq(tokensTable.account_id, accountId), eq(tokensTable.form_id, formId)))
  return made && { token: null, ...made }
}

const endOf = ({ revokedAt, expiresMs }: FoundToken): Date | null =>
  revokedAt !== null || expiresMs === null ? null : new Date(expiresMs)

/** Characters in the name of a token. */
export const maxNameLength = 100

/** The name of a token, trimmed. @throws AccountError */
export function tokenName(text: string): string {
  const name = text.trim()
  if (name === "") throw new AccountError("A token requires a name")
  if ([...name].length > maxNameLength) {
    throw new AccountError(`The name of a token has at most ${maxNameLength} characters`)
  }
  // Marks that change the direction of text could disguise a name.
  if (/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(name) || !name.isWellFormed()) {
    throw new AccountError("The name of a token must not contain control characters")
  }
  return name
}
