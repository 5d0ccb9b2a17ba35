/**
 * Pins the releases that are being read, so that no other process prunes them. Each process writes
 * the oldest release of all page sequences and exports under way, every half minute. The pin of a
 * process that died expires after some minutes, and the next process that writes deletes it.
 */
import { eq, sql } from "drizzle-orm"
import { runToCompletion } from "./pool/deadlines.ts"
import type { Pool } from "./pool/pool.ts"
import { createSerialExecutor } from "./pool/serial-executor.ts"
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
  const serially = createSerialExecutor()
  /** Also where an attempt failed: the database may have committed it. */
  let mayBeRecorded = false
  let isReporting = false

  async function write(release: number | undefined): Promise<void> {
    if (release !== undefined) {
      mayBeRecorded = true
      await runToCompletion(pool, () => record(release))
    } else if (mayBeRecorded) {
      await runToCompletion(pool, remove)
      mayBeRecorded = false
    }
  }

  async function record(release: number): Promise<void> {
    const expiredBefore = sql`now() - make_interval(mins => ${pinExpiryMinutes}::integer)`
    await pool.db.execute(sql`
      with expired as (
        delete from ${pinnedReleases} as pinned
        where pinned.seen_at < ${expiredBefore} and pinned.process <> ${process}
      )
      insert into ${pinnedReleases} (process, release, seen_at) values (${process}, ${release}, now())
      on conflict (process) do update set release = excluded.release, seen_at = excluded.seen_at`)
  }

  async function remove(): Promise<void> {
    await pool.db.delete(pinnedReleases).where(eq(pinnedReleases.process, process))
  }

  /** One after the other, so that none ends after the one that stops. */
  const report = () => serially(() => write(oldest()))

  const timer = setInterval(async () => {
    if (isReporting) return
    isReporting = true
    await report().catch(onFailure)
    isReporting = false
  }, everyMs)
  return {
    report,
    stop: async () => {
      clearInterval(timer)
      await serially(() => write(undefined)).catch(onFailure)
    },
  }
}
