/** Tokens as their account's owner changes them. A token of another account is as unknown as one that never was. */
import { and, eq } from "drizzle-orm"
import { tokens } from "../db/account-tables.ts"
import { AccountError, type Changed, change, type Editor, type Transaction } from "./change.ts"
import { prefixOf } from "./token.ts"
import {
  addToken,
  checkRoom,
  checkUnrevoked,
  type FoundToken,
  findTokens,
  lockAccount,
  replaceRow,
  revokeRow,
  type TokenOfAccount,
  tokenName,
} from "./token-rows.ts"

/** The account has no such token. */
export class UnknownToken extends AccountError {}

export interface NewOwnToken {
  accountId: number
  name: string
  now: Date
  expiresAt: Date | null
  forSpreadsheets: boolean
  /** A UUID. The same form makes one token, however often it is sent. */
  formId: string
}

/** A token that was made. `token` is null where the same form had made it before: it is not shown again. */
export interface MadeToken {
  token: string | null
  name: string
  prefix: string
}

/** @throws AccountError where the name is not valid, or the account is disabled or has enough tokens */
export function createOwnToken(editor: Editor, row: NewOwnToken): Promise<Changed<MadeToken>> {
  return change(editor, async (tx) => {
    const name = tokenName(row.name)
    await lockAccount(tx, row.accountId)
    const made = await madeWith(tx, row.accountId, row.formId)
    if (made) return made
    await checkRoom(tx, row.accountId, row)
    const token = await addToken(tx, { ...row, name })
    return { token, name, prefix: prefixOf(token) }
  })
}

/** @throws UnknownToken; AccountError where it is revoked or the name is not valid */
export function editOwnToken(
  editor: Editor,
  { name, forSpreadsheets, ...of }: TokenOfAccount & { name: string; forSpreadsheets: boolean },
): Promise<Changed<void>> {
  return change(editor, async (tx) => {
    const { id } = await unrevoked(tx, of)
    await tx
      .update(tokens)
      .set({ name: tokenName(name), for_spreadsheets: forSpreadsheets })
      .where(eq(tokens.id, id))
  })
}

export interface MadeByRotation extends MadeToken {
  /** The prefix of the token that it replaces. */
  replaced: string
  /** Until when that one is still valid; null where it is revoked. */
  until: Date | null
}

/** @throws UnknownToken; AccountError where it is revoked, replaced or expired, or the account is disabled */
export function rotateOwnToken(
  editor: Editor,
  { graceMs, now, formId, ...of }: TokenOfAccount & { graceMs: number; now: Date; formId: string },
): Promise<Changed<MadeByRotation>> {
  return change(editor, async (tx) => {
    await lockAccount(tx, of.accountId)
    const old = await find(tx, of)
    const made = await madeWith(tx, of.accountId, formId)
    if (made) return { ...made, replaced: old.prefix, until: endOf(old) }
    checkUnrevoked(old)
    await checkRoom(tx, of.accountId, { now, isRotation: true })
    const { token, name, prefix, until } = await replaceRow(tx, old, { graceMs, now, formId })
    return { token, name, prefix: prefixOf(token), replaced: prefix, until }
  })
}

/** @throws UnknownToken; AccountError where it is already revoked */
export function revokeOwnToken(
  editor: Editor,
  of: TokenOfAccount,
): Promise<Changed<{ name: string; prefix: string }>> {
  return change(editor, async (tx) => {
    const { id, name, prefix } = await unrevoked(tx, of)
    await revokeRow(tx, id)
    return { name, prefix }
  })
}

const endOf = ({ revokedAt, expiresMs }: FoundToken): Date | null =>
  revokedAt !== null || expiresMs === null ? null : new Date(expiresMs)

/** The token that the account made with this form. */
async function madeWith(
  tx: Transaction,
  accountId: number,
  formId: string,
): Promise<MadeToken | undefined> {
  const [made] = await tx
    .select({ name: tokens.name, prefix: tokens.prefix })
    .from(tokens)
    .where(and(eq(tokens.account_id, accountId), eq(tokens.form_id, formId)))
  return made && { token: null, ...made }
}

async function unrevoked(tx: Transaction, of: TokenOfAccount): Promise<FoundToken> {
  const token = await find(tx, of)
  checkUnrevoked(token)
  return token
}

async function find(tx: Transaction, { accountId, tokenId }: TokenOfAccount): Promise<FoundToken> {
  const [token] = await findTokens(
    tx,
    and(eq(tokens.account_id, accountId), eq(tokens.id, tokenId)),
  )
  if (!token) throw new UnknownToken("There is no such token")
  return token
}
