/**
 * The page sequences that several processes share through Redis: a log of the changes for each query,
 * which every process applies by the same rules. A change is appended, and those before it are
 * returned, by one atomic script: so a request costs one round trip, none waits for another one's,
 * and all processes agree on the order.
 *
 * The log is a list: its id, then the changes as JSON. A process that has applied the log up to some
 * position is sent only what follows. A log that has grown long is compacted by a process that has
 * applied it: what the changes led to takes their place, under another id. Positions in the log as it
 * was are then void, and a process that has one is sent all of the log.
 */
import type { RedisConnection } from "../../redis/connection.ts"
import { type RedisCall, redisScript } from "../../redis/script.ts"
import { type SequenceList, sequenceIdleMs } from "./page-sequence.ts"
import { applyChange, makesKnown, type SequenceChange } from "./sequence-change.ts"

/** How far a process has applied a log. */
export interface LogPosition {
  id: string
  /** Of the list. */
  length: number
}

/** What was in the log when a change was appended, from some position on. */
export interface LoggedBefore {
  id: string
  /** Of the list, before `changes`. */
  start: number
  /** As JSON. */
  changes: readonly string[]
}

export interface SharedPageSequences {
  /** The call that appends a change. @param from how far this process has applied the log */
  appending(query: string, change: SequenceChange, from: LogPosition | undefined): RedisCall
  /** The reply to that call: null where there is no log, and the change was not appended; undefined without a reply. */
  readReply(reply: unknown, from: LogPosition | undefined): LoggedBefore | null | undefined
  /** Undefined if Redis does not answer. */
  run(call: RedisCall): Promise<unknown>
  /** Compacts the log where it is long. @param sequences what it leads to, up to the position */
  compact(query: string, position: LogPosition, sequences: SequenceList, nowMs: number): void
}

const append = redisScript(`
local log = KEYS[1]
local appliedId, appliedLength, change, newId, idleMs = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local id = redis.call("LINDEX", log, 0)
if not id and newId == "" then return {} end
local changes = {}
if id then
  changes = redis.call("LRANGE", log, id == appliedId and appliedLength or 1, -1)
  redis.call("RPUSH", log, change)
else
  id = newId
  redis.call("RPUSH", log, id, change)
end
redis.call("PEXPIRE", log, idleMs)
return { id, changes }`)

/** The id tells that the log has only grown since. */
const replaceFirst = redisScript(`
local log = KEYS[1]
local id, length, newId, change = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
if redis.call("LINDEX", log, 0) ~= id then return 0 end
redis.call("LTRIM", log, length - 2, -1)
redis.call("LSET", log, 0, newId)
redis.call("LSET", log, 1, change)
return 1`)

/** So that compaction, which is a call of its own, is rare. Such a log takes 10 to 20 KB. */
const usualLongestLog = 100

/** The changes are after the id. */
const wholeFrom = 1

const keyOf = (query: string): string => `mds:sequence-log:${query}`

/** @param longestLog in elements of the list */
export function createSharedPageSequences(
  { run }: Pick<RedisConnection, "run">,
  longestLog = usualLongestLog,
): SharedPageSequences {
  return {
    appending: (query, change, from) => ({
      script: append,
      keys: [keyOf(query)],
      args: [
        from?.id ?? "",
        String(from?.length ?? wholeFrom),
        JSON.stringify(change),
        makesKnown(change) ? crypto.randomUUID() : "",
        String(sequenceIdleMs),
      ],
    }),

    readReply: (reply, from) => {
      if (!Array.isArray(reply)) return undefined
      const [id, changes]: unknown[] = reply
      if (typeof id !== "string" || !Array.isArray(changes)) return null
      return { id, start: id === from?.id ? from.length : wholeFrom, changes }
    },

    run: ({ script, keys, args }) => run(script, keys, args),

    compact: (query, { id, length }, sequences, nowMs) => {
      if (length <= longestLog) return
      const change: SequenceChange = { kind: "add", sequences, ms: nowMs }
      const args = [id, String(length), crypto.randomUUID(), JSON.stringify(change)]
      // Nothing depends on it: the next process that finds the log long tries again.
      run(replaceFirst, [keyOf(query)], args)
    },
  }
}

/** What a process knows of a query. */
export interface Known {
  sequences: SequenceList
  /** The shared log leads to just these up to here; undefined if they may not all be in it. */
  position?: LogPosition | undefined
}

/**
 * What the log leads to before the change, and the position after it; nothing where there is no log.
 * @param known what was known of it at some positions, so that no change is applied twice
 */
export function applyLogged(before: LoggedBefore | null, known: readonly Known[]): Known {
  if (!before) return { sequences: [] }
  const { id, start, changes } = before
  const end = start + changes.length
  let sequences: SequenceList = []
  let applied = wholeFrom
  for (const { sequences: there, position } of known) {
    if (position?.id !== id || position.length < applied || position.length > end) continue
    sequences = there
    applied = position.length
  }
  for (const text of changes.slice(applied - start)) {
    sequences = applyChange(sequences, JSON.parse(text)).sequences
  }
  return { sequences, position: { id, length: end + 1 } }
}
