/**
 * Tells other processes which old releases are still being read here, so that none drops them: the
 * oldest of all crawls and exports under way, written every half minute. What a process that died
 * has left behind is believed for a few minutes only, and then deleted by whoever writes next.
 */
import { eq, lt, sql } from "drizzle-orm"
import type { Pool } from "./pool/pool.ts"
import { heldReleases } from "./schema.ts"

const everyMs = 30_000
/** Longer than a few reports that fail, and than a crawl may pause. */
export const believedMinutes = 20

export interface Holding {
  /** Writes what is held now; also called every half minute. */
  report(): Promise<void>
  /** Holds nothing any more. */
  stop(): Promise<void>
}

/**
 * @param oldest gives the number of the oldest release that is being read
 * @param onFailure is told why that could not be written; the next half minute tries again
 */
export function keepHolding(
  pool: Pool,
  oldest: () => number | undefined,
  onFailure: (error: unknown) => void,
): Holding {
  const process = crypto.randomUUID()
  let held: number | undefined

  async function write(release: number | undefined): Promise<void> {
    if (release === undefined && held === undefined) return
    await pool.run(async () => {
      if (release === undefined) {
        await pool.db.delete(heldReleases).where(eq(heldReleases.process, process))
      } else {
        const believedSince = sql`now() - make_interval(mins => ${believedMinutes}::integer)`
        await pool.db.delete(heldReleases).where(lt(heldReleases.seen_at, believedSince))
        const seen = { release, seen_at: sql`now()` }
        await pool.db
          .insert(heldReleases)
          .values({ process, ...seen })
          .onConflictDoUpdate({ target: heldReleases.process, set: seen })
      }
    })
    held = release
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
