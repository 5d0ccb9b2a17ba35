/**
 * Asks a database host whether it answers, and what it has, on a connection of its own. The connection
 * is kept, so that it has its place where all others are taken.
 */
import type { Sql } from "postgres"
import { codeOf } from "../../text/error-code.ts"
import { unlessSilent } from "../../text/unless-silent.ts"
import { singleConnection } from "../connection.ts"
import { isAnswer } from "../pool/database-errors.ts"
import { noAnswerWithin, Unavailable } from "../pool/unavailable.ts"
import type { Release } from "../reader/releases.ts"

/** What a host reports of itself. */
export interface HostReport {
  /** The newest that it has. */
  release: Release
  /** Whether it is a standby. */
  isInRecovery: boolean
  /** Whether it is reached through a connection pooler. */
  isPooled: boolean
  /** Asked only of one of several hosts. */
  cluster?: ClusterReport
}

/** Which of several hosts belong together, and which is the primary. */
export interface ClusterReport {
  /** The same for a primary and its standbys. */
  system: string
  /** Higher after each promotion; of a standby, it may be an earlier one. */
  timeline: number
  /** How far the write-ahead log is flushed, or replayed on a standby, in bytes. */
  position: number
}

/**
 * `answered`: with an error, as where it has no connection left or where a table is locked, or by a
 * pooler which has the question wait; `unreachable`: no answer within the limit, or no connection.
 */
export type ProbeResult =
  | { kind: "reported"; report: HostReport }
  | { kind: "answered" | "unreachable"; error: unknown }

export interface Probe {
  /** Takes hardly longer than the limit, and does not reject. */
  ask(): Promise<ProbeResult>
  close(): Promise<void>
}

/** Far longer than an answer takes, and short enough for a request to be refused within two seconds. */
export const silenceMs = 1_000

/** That it waits for no lock is set in its transaction, because a pooler passes on no other setting. */
const withoutWaiting = "select set_config('lock_timeout', '500ms', true)"

const columns = `pg_backend_pid() as pid, pg_is_in_recovery() as "isInRecovery",
  coalesce(id, 0) as id, coalesce(extract(epoch from published_at), 0)::float8 as "publishedAt"`

const clusterColumns = `(select system_identifier::text from pg_control_system()) as system,
  case when pg_is_in_recovery()
    then (select timeline_id from pg_control_checkpoint())
    else ('x' || substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8))::bit(32)::integer
  end as timeline,
  (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end
    - '0/0'::pg_lsn)::float8 as position`

const newestRelease = `from (select) as one
  left join releases on id = (select max(id) from releases)`

interface Answer extends Partial<ClusterReport> {
  pid: number
  isInRecovery: boolean
  id: number
  publishedAt: number
}

type Result<T> = readonly T[] & { state: { pid: number } }

export interface ProbeOptions {
  /** Whether it is one of several hosts. */
  isOneOfSeveral?: boolean
  limitMs?: number
}

export function createProbe(
  url: string,
  { isOneOfSeveral = false, limitMs = silenceMs }: ProbeOptions = {},
): Probe {
  let client = connect()
  let isPooled = false
  const selected = isOneOfSeveral ? `${columns}, ${clusterColumns}` : columns
  /** One simple query, which needs no prepared statement. */
  const question = `${withoutWaiting}; select ${selected} ${newestRelease}`

  function connect(): Sql {
    return singleConnection(url, {
      backoff: () => 0.25,
      connection: { application_name: "mds readiness" },
    })
  }

  async function report(): Promise<HostReport> {
    const results = (await client.unsafe(question)) as unknown as [unknown, Result<Answer>]
    const [answer] = results[1]
    if (!answer) throw new Error("A query for the state of the database returned no row")
    const { id, publishedAt, isInRecovery, pid, system, timeline, position } = answer
    isPooled = results[1].state.pid !== pid
    return {
      release: { id, publishedAt },
      isInRecovery,
      isPooled,
      ...(system !== undefined &&
        timeline !== undefined &&
        position !== undefined && { cluster: { system, timeline, position } }),
    }
  }

  /** A connection that was idle may have ended since; a new one shows whether the host answers. */
  const reportAnew = (error: unknown): Promise<HostReport> => {
    if (isConnectionEnd(error)) return report()
    throw error
  }

  return {
    ask: async () => {
      const asked = client
      try {
        const answer = report().catch(reportAnew)
        return { kind: "reported", report: await unlessSilent(limitMs, answer, noAnswerWithin) }
      } catch (error) {
        if (isAnswer(error)) return { kind: "answered", error }
        // The connection may be dead without either end knowing.
        client = connect()
        asked.end({ timeout: 0 }).catch(() => {})
        // Through a pooler, the question may wait for the end of long statements.
        const isQueued = isPooled && error instanceof Unavailable
        return { kind: isQueued ? "answered" : "unreachable", error }
      }
    },
    close: () => client.end({ timeout: 1 }),
  }
}

const isConnectionEnd = (error: unknown): boolean =>
  /^(57P0[12]|CONNECTION_|ECONNRESET|EPIPE)/.test(codeOf(error))
