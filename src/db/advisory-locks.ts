import type { TransactionSql } from "postgres"

/**
 * The keys of the advisory locks, each declared here so that no two are the same. Other applications
 * are unlikely to lock these. Every version of the program uses them.
 */
export const locks = {
  /** Held while the schema is migrated. */
  migrating: 7_140_233_001,
  /** Held by whatever writes data: a load or pruning. */
  publishing: 7_140_233_002,
  /** Held while the oldest of the recent requests are deleted. */
  recentRequests: 7_140_233_003,
  /** Held while confirmed links are read and published. */
  confirming: 7_140_233_004,
} as const

/**
 * Waits until nothing else publishes, for the rest of the transaction.
 * @param onWait called where it has to wait
 */
export async function lockPublishing(sql: TransactionSql, onWait: () => void): Promise<void> {
  const [row] = await sql`select pg_try_advisory_xact_lock(${locks.publishing}) as taken`
  if (row?.taken) return
  onWait()
  await sql`select pg_advisory_xact_lock(${locks.publishing})`
}
