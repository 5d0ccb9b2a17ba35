/** The audit log of an account and its tokens. */
import { and, desc, eq, lt, sql } from "drizzle-orm"
import { accessChanges } from "../../data/db/account-tables.ts"
import type { Pool } from "../../data/db/pool/pool.ts"
import { instantText } from "../../data/resources/values.ts"

export type AuditEntry = Awaited<ReturnType<typeof readAudit>>["entries"][number]

/**
 * A page of entries, the newest first, with the `before` of the next page; null after the last one.
 * @param before the id of the last entry of the page before
 * @param count of entries
 */
export async function readAudit(pool: Pool, accountId: number, before: number | null, count = 50) {
  const rows = await pool.runAlone(accountId, (db) =>
    db
      .select({
        id: accessChanges.id,
        /** `2026-01-02T03:04:05Z` */
        at: sql<string>`${instantText(accessChanges.at)}`,
        /** Null if no token changed. */
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

/** The subject of an entry: a token by its prefix, or else a word. */
export function auditSubject({
  tokenPrefix,
  columns,
}: Pick<AuditEntry, "tokenPrefix" | "columns">): string {
  if (tokenPrefix !== null) return tokenPrefix
  return "signed_in_at" in columns ? "session" : "account"
}

/** `plan standard -> admin, request_limit none -> 5`. A created or deleted row has only its values. */
export const columnsText = ({ action, columns }: Pick<AuditEntry, "action" | "columns">): string =>
  Object.entries(columns)
    .filter(([name]) => name !== "account_id" || action === "changed")
    .map(([name, [before, after]]) => {
      if (action === "changed") return `${name} ${valueText(before)} -> ${valueText(after)}`
      return `${name} ${valueText(action === "created" ? after : before)}`
    })
    .join(", ")

/** The database writes times in UTC, with an offset. */
const valueText = (value: unknown): string => String(value ?? "none").replace(/\+00:00$/, "Z")
