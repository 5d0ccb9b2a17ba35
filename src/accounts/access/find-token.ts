/** Finds the token of a change. */
import { and, eq, like, type SQL } from "drizzle-orm"
import { accountsTable, tokensTable } from "../../data/db/account-tables.ts"
import { AccountError, type Transaction } from "./change.ts"
import { hashSecret, prefixOf } from "./secret.ts"
import type { TokenOfAccount } from "./token-list.ts"

/** A token by its owner's account and its number, or by the first characters of its text. */
export type TokenSelector = TokenOfAccount | { prefix: string }

const findTokens = (tx: Transaction, condition: SQL | undefined) =>
  tx
    .select({
      id: tokensTable.id,
      prefix: tokensTable.prefix,
      name: tokensTable.name,
      email: accountsTable.email,
      revokedAt: tokensTable.revoked_at,
    })
    .from(tokensTable)
    .innerJoin(accountsTable, eq(accountsTable.id, tokensTable.account_id))
    .where(condition)
    .orderBy(tokensTable.id)
    .for("update", { of: tokensTable })

/**
 * Finds a token and locks it until the transaction ends.
 * @throws AccountError where no token or several tokens have the prefix, or the token is revoked or another
 * account's
 */
export async function findUnrevoked(tx: Transaction, which: TokenSelector) {
  const found = await findTokens(
    tx,
    "prefix" in which
      ? beginsWith(which.prefix)
      : and(eq(tokensTable.account_id, which.accountId), eq(tokensTable.id, which.tokenId)),
  )
  const [token, ...others] = found
  if (!token) {
    throw new AccountError(
      "prefix" in which ? "No token has this prefix" : "There is no such token",
    )
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
