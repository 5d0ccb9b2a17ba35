/**
 * Pins the releases that are being read, so that no other process prunes them. Each process writes
 * the oldest release of all page sequences and exports under way, every half minute. The pin of a
 * process that died expires after some minutes, and the next process that writes deletes it.
 */
import { eq, lt, sql } from "drizzle-orm"
import type { Pool } from "./pool/pool.ts"
import { pinnedReleases } from "./schema.ts"

const everyMs = 30_000
/** Longer than a few failed writes, and longer than a page sequence may pause. */
export const pinExpiryMinutes = 20

export interface PinnedReleaseReports {
  /** Writes the pin as of now; also called every half minute. */
  report(): Promise<void>
  /** Removes the pin and stops. */
  stop(): Promise<void>
}

/**
 * @param oldest returns the number of the oldest release that is being read
 * @param onFailure receives the error of a failed write; the next half minute tries again
 */
export function reportPinnedReleases(
  pool: Pool,
  oldest: () => number | undefined,
  onFailure: (error: unknown) => void,
): PinnedReleaseReports {
  const process = crypto.randomUUID()
  let pinned: number | undefined

  async function write(release: number | undefined): Promise<void> {
    if (release === undefined && pinned === undefined) return
    await pool.run(async () => {
      if (release === undefined) {
        await pool.db.delete(pinnedReleases).where(eq(pinnedReleases.process, process))
      } else {
        const expiredBefore = sql`now() - make_interval(mins => ${pinExpiryMinutes}::integer)`
        await pool.db.delete(pinnedReleases).where(lt(pinnedReleases.seen_at, expiredBefore))
        const pin = { release, seen_at: sql`now()` }
        await pool.db
          .insert(pinnedReleases)
          .values({ process, ...pin })
          .onConflictDoUpdate({ target: pinnedReleases.process, set: pin })
      }
    })
    pinned = release
  }

  const timer = setInterval(() => {
    write(oldest()).catch(onFailure)
  }, everyMs)
  return {
    report: () => write(oldest()),
    stop: async () => {
      clearInterval(timer)
      await write(undefined).catch(onFailure)
    },
  }
}
