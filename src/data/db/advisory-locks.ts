import type { TransactionSql } from "postgres"

/**
 * The keys of the advisory locks. All are here, so that no two are the same. Every version of the program
 * uses these keys.
 */
export const locks = {
  /** Locked during a migration of the schema. */
  migrating: 7_140_233_001,
  /** Locked by writers of data: a load, a decision or pruning. */
  publishing: 7_140_233_002,
  /** Locked during the deletion of old recent requests. */
  recentRequests: 7_140_233_003,
} as const

/**
 * Waits for other publishers, and excludes them until the end of the transaction.
 * @param onWait called before a wait
 */
export async function lockPublishing(sql: TransactionSql, onWait: () => void): Promise<void> {
  const [row] = await sql`select pg_try_advisory_xact_lock(${locks.publishing}) as taken`
  if (row?.taken) return
  onWait()
  await sql`select pg_advisory_xact_lock(${locks.publishing})`
}
