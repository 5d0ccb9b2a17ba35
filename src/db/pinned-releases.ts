/**
 * Pins the releases that are being read, so that no other process prunes them. Each process writes
 * the oldest release of all page sequences and exports under way, every half minute, and at once when
 * one begins on an older release; the response does not wait for that. The pin of a process that died
 * expires after some minutes, and the next process that writes deletes it.
 */
import { eq, sql } from "drizzle-orm"
import { createSerialExecutor } from "../text/serial-executor.ts"
import type { Pool } from "./pool/pool.ts"
import { pinnedReleases } from "./schema.ts"

const everyMs = 30_000
/** Longer than a few failed writes, and longer than a page sequence may pause. */
export const pinExpiryMinutes = 20

export interface PinnedReleaseReports {
  /** Writes the pin as of now; also called every half minute. */
  report(): Promise<void>
  /** A page sequence or an export reads the release: it is reported at once if it is older than the reported one. */
  begun(release: number): void
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
  /** By the last attempt: one that failed is left to the next half minute, not to every request. */
  let reported = Number.POSITIVE_INFINITY
  let isQueued = false
  let isStopped = false

  async function write(release: number | undefined): Promise<void> {
    reported = release ?? Number.POSITIVE_INFINITY
    if (release !== undefined) {
      mayBeRecorded = true
      await pool.runAlone(null, () => record(release))
    } else if (mayBeRecorded) {
      await pool.runAlone(null, remove)
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
  const report = () =>
    serially(() => {
      isQueued = false
      return write(oldest())
    })

  /** A report that has not begun to write covers all that is being read. */
  function queueReport(): void {
    if (isQueued || isStopped) return
    isQueued = true
    report().catch(onFailure)
  }

  const timer = setInterval(queueReport, everyMs)
  return {
    report,
    begun: (release) => {
      if (release < reported) queueReport()
    },
    stop: async () => {
      isStopped = true
      clearInterval(timer)
      await serially(() => write(undefined)).catch(onFailure)
    },
  }
}
