/** Issuing, rotating and revoking tokens by their prefixes, for the command line. */
import { and, eq, like } from "drizzle-orm"
import { tokens } from "../db/account-tables.ts"
import { accountByEmail, addAccount } from "./accounts.ts"
import { AccountError, type Changed, change, type Editor, type Transaction } from "./change.ts"
import { hashToken, prefixOf } from "./token.ts"
import {
  addToken,
  checkUnrevoked,
  type FoundToken,
  findTokens,
  type Rotated,
  replaceRow,
  revokeRow,
  tokenName,
} from "./token-rows.ts"

export interface NewToken {
  /** The email address of the token's account, which is created on the standard plan where it does not exist. */
  email: string
  /** Says what the token is for. */
  name: string
  /** When it is issued: the present, where it is not given. */
  now?: Date
  expiresAt: Date | null
  forSpreadsheets?: boolean
}

/** Issues a token and returns it. It is not stored and cannot be shown again. @throws AccountError */
export function issueToken(
  editor: Editor,
  { email, name, now = new Date(), expiresAt, forSpreadsheets = false }: NewToken,
): Promise<Changed<string>> {
  return change(editor, async (tx) => {
    await addAccount(tx, { email, plan: "standard", requestLimit: null })
    const row = { name: tokenName(name), now, expiresAt, forSpreadsheets, formId: null }
    const account = await accountByEmail(tx, email)
    if (!account) throw new AccountError(`Account ${email} was deleted in the meantime`)
    return addToken(tx, { accountId: account.id, ...row })
  })
}

/**
 * Revokes the token whose text begins with `prefix`, from the next request on.
 * @returns its name and prefix
 * @throws AccountError where no token or more than one has the prefix, or it is already revoked
 */
export function revokeToken(
  editor: Editor,
  prefix: string,
): Promise<Changed<{ name: string; prefix: string }>> {
  return change(editor, async (tx) => {
    const token = await unrevokedToken(tx, prefix)
    await revokeRow(tx, token.id)
    return { name: token.name, prefix: token.prefix }
  })
}

/**
 * Replaces the token whose text begins with `prefix` by a new one of the same name and lifetime. The
 * old one stays valid for `graceMs`, but not beyond its own expiry.
 * @throws AccountError as revoking does, and where the token has expired or was replaced before
 */
export function rotateToken(
  editor: Editor,
  { prefix, graceMs, now }: { prefix: string; graceMs: number; now: Date },
): Promise<Changed<Rotated>> {
  return change(editor, async (tx) =>
    replaceRow(tx, await unrevokedToken(tx, prefix), { graceMs, now, formId: null }),
  )
}

/** The token that has this prefix and is not revoked, locked until the transaction ends. */
async function unrevokedToken(tx: Transaction, start: string): Promise<FoundToken> {
  const found = await findTokens(tx, beginsWith(start))
  const [token, ...others] = found
  if (!token) throw new AccountError("No token has this prefix")
  if (others.length > 0) {
    const shown = found.map((each) => `${each.prefix} (${each.name}, ${each.email})`).join("; ")
    throw new AccountError(`Several tokens have this prefix, give more characters: ${shown}`)
  }
  checkUnrevoked(token)
  return token
}

/** Longer than the stored prefix, `start` must be a whole token, which is found by its hash. */
function beginsWith(start: string) {
  if (!/^mds_[0-9A-Za-z]+$/.test(start)) {
    throw new AccountError(
      "A token is identified by its prefix: mds_ and at least one more character",
    )
  }
  const stored = prefixOf(start)
  return start.length > stored.length
    ? and(eq(tokens.prefix, stored), eq(tokens.sha256, hashToken(start)))
    : like(tokens.prefix, `${start.replaceAll("_", "\\_")}%`)
}
