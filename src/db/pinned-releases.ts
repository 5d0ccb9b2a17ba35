/**
 * Tells other processes which old releases are still being read here, so that none drops them: the
 * oldest of all crawls and exports under way, written every half minute. What a process that died
 * has left behind is believed for a few minutes only, and then deleted by whoever writes next.
 */
import { eq, lt, sql } from "drizzle-orm"
import type { Pool } from "./pool/pool.ts"
import { pinnedReleases } from "./schema.ts"

const everyMs = 30_000
/** Longer than a few reports that fail, and than a crawl may pause. */
export const pinExpiryMinutes = 20

export interface PinReports {
  /** Writes what is pinned now; also called every half minute. */
  report(): Promise<void>
  /** Holds nothing any more. */
  stop(): Promise<void>
}

/**
 * @param oldest gives the number of the oldest release that is being read
 * @param onFailure is told why that could not be written; the next half minute tries again
 */
export function reportPinnedReleases(
  pool: Pool,
  oldest: () => number | undefined,
  onFailure: (error: unknown) => void,
): PinReports {
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
        const seen = { release, seen_at: sql`now()` }
        await pool.db
          .insert(pinnedReleases)
          .values({ process, ...seen })
          .onConflictDoUpdate({ target: pinnedReleases.process, set: seen })
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
