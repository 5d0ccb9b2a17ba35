/**
 * Links in mails that pause a watch without a session (RFC 8058). Only digests of their tokens are stored, so each
 * mail has a token of its own. Every one is valid while the watch exists.
 */
import { eq } from "drizzle-orm"
import { accountsTable } from "../../data/db/account-tables.ts"
import { unsubscribeTokens, watches } from "../../data/db/alert-tables.ts"
import type { Pool } from "../../data/db/pool/pool.ts"
import type { AccountId } from "../../data/db/pool/turns.ts"
import { hashSecret, randomText } from "../access/secret.ts"
import { watchColumns } from "./store.ts"

export const unsubscribePath = "/account/unsubscribe"
const secretBytes = 32
/** The log recognises secrets by this prefix. */
const prefix = "mds_stop_"

/** Makes a link for a mail. @returns its path and query */
export async function unsubscribeLink(pool: Pool, watchId: number): Promise<string> {
  const token = prefix + randomText(secretBytes)
  const digest = { sha256: hashSecret(token), watch_id: watchId }
  await pool.runAlone(null, (db) => db.insert(unsubscribeTokens).values(digest))
  return `${unsubscribePath}?token=${token}`
}

/** The watch of a link, and its owner; undefined for an unknown token. @param address the client's */
export const watchOfLink = async (pool: Pool, token: string, address: AccountId) => {
  const [watch] = await pool.runAlone(address, (db) =>
    db
      .select({ ...watchColumns, email: accountsTable.email })
      .from(unsubscribeTokens)
      .innerJoin(watches, eq(watches.id, unsubscribeTokens.watch_id))
      .innerJoin(accountsTable, eq(accountsTable.id, watches.account_id))
      .where(eq(unsubscribeTokens.sha256, hashSecret(token))),
  )
  return watch
}
