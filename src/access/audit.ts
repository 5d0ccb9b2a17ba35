/** The audit log of an account and its tokens. */
import { and, desc, eq, lt, sql } from "drizzle-orm"
import { accessChanges } from "../db/account-tables.ts"
import type { Pool } from "../db/pool/pool.ts"
import { instantText } from "../resources/values.ts"

export interface AuditEntry {
  id: number
  /** `2026-01-02T03:04:05Z` */
  at: string
  /** Null where it was no token that changed. */
  tokenPrefix: string | null
  action: "created" | "changed" | "deleted"
  /** The values before and after, by column. */
  columns: Readonly<Record<string, readonly [before: unknown, after: unknown]>>
  who: string
  origin: string
}

export interface AuditPage {
  /** The newest first. */
  entries: AuditEntry[]
  /** The `before` of the next page; null after the last one. */
  next: number | null
}

/**
 * @param before the id of the last entry of the page before
 * @param count how many entries
 */
export async function readAudit(
  pool: Pool,
  accountId: number,
  before: number | null,
  count = 50,
): Promise<AuditPage> {
  const rows: AuditEntry[] = await pool.runAlone(accountId, (db) =>
    db
      .select({
        id: accessChanges.id,
        at: sql<string>`${instantText(accessChanges.at)}`,
        tokenPrefix: accessChanges.token_prefix,
        action: accessChanges.action,
        columns: accessChanges.columns,
        who: accessChanges.who,
        origin: accessChanges.origin,
      })
      .from(accessChanges)
      .where(
        and(
          eq(accessChanges.account_id, accountId),
          before === null ? undefined : lt(accessChanges.id, before),
        ),
      )
      .orderBy(desc(accessChanges.id))
      .limit(count + 1),
  )
  const entries = rows.slice(0, count)
  return { entries, next: rows.length > count ? (entries.at(-1)?.id ?? null) : null }
}
