/**
 * Keeps the pages of one query on one release, so that incrementing `page` gives each record exactly
 * once while data is being published. Page 1 shows the newest release, or the newest by the time in
 * `as_of`. A later page of the same query by the same account shows the release of its page 1, until
 * 15 minutes have passed since the last page was read, in any process.
 */
import { createFairCache } from "../../db/fair-cache.ts"
import type { Release } from "../../db/reader/releases.ts"
import type { RedisCall } from "../../redis/script.ts"
import { active, merged, type SequenceList } from "./page-sequence.ts"
import {
  applyChange,
  type ChangedSequences,
  type SequenceChange,
  type StartedSequence,
} from "./sequence-change.ts"
import {
  applyLogged,
  type Known,
  type LoggedBefore,
  type LogPosition,
  type SharedPageSequences,
} from "./shared-page-sequences.ts"

/** A query of an account, whatever its page. */
export interface SequenceQuery {
  accountId: number
  key: string
}

export interface PageSequences {
  /** Page 1, requested at this time, was answered, and more pages follow. */
  begin(query: SequenceQuery, started: StartedSequence, askedMs: number): Promise<void>
  /** The release of a later page; undefined if no sequence is active. */
  next(
    query: SequenceQuery,
    client: string,
    page: number,
    nowMs: number,
  ): Promise<Release | undefined>
  /**
   * A change as a call that is sent together with another one; undefined for one process alone.
   * `begin` and `next` are then not called for it.
   */
  attach(query: SequenceQuery, change: SequenceChange): AttachedChange | undefined
  /** A release that a page of the query belongs to is no longer available. */
  lose(query: SequenceQuery, release: Release, nowMs: number): Promise<void>
  /** Pins a release for an export. Returns the function that unpins it. */
  pin(release: Release): () => void
  /** The number of the oldest release that an active sequence or an export reads, as far as this process knows. */
  oldestPinned(nowMs: number): number | undefined
}

export interface AttachedChange {
  call: RedisCall
  /** @param reply undefined if Redis did not answer */
  receive(reply: unknown): Promise<ChangedSequences>
}

/** About what one takes in memory, with its client's name. */
const sequenceBytes = 200
const positionBytes = 100

const nothing: Known = { sequences: [] }

/**
 * @param shared through which several processes share their sequences; null for one process alone
 * @param maxBytes the memory for those of this process; beyond it those of the account that has most are dropped, the least recently read first
 * @param onPinned receives the number of each release that `oldestPinned` now covers
 */
export function createPageSequences(
  shared: SharedPageSequences | null,
  maxBytes: number,
  onPinned: (release: number) => void = () => {},
): PageSequences {
  const own = createFairCache<Known>({
    maxBytes,
    bytesOf: ({ sequences }) => positionBytes + sequences.length * sequenceBytes,
  })
  const pinned = new Set<{ id: number }>()

  function onRead({ id }: Pick<Release, "id">): void {
    if (isPinnable(id)) onPinned(id)
  }

  const knownOf = ({ accountId, key }: SequenceQuery): Known => own.get(accountId, key) ?? nothing

  function keep({ accountId, key }: SequenceQuery, known: Known): void {
    if (known.sequences.length > 0) own.set(accountId, key, known)
    for (const { release } of known.sequences) onRead(release)
  }

  async function change(query: SequenceQuery, made: SequenceChange): Promise<ChangedSequences> {
    const attached = attach(query, made)
    return attached && shared
      ? attached.receive(await shared.run(attached.call))
      : changeAlone(query, made)
  }

  function changeAlone(query: SequenceQuery, made: SequenceChange): ChangedSequences {
    const changed = applyChange(knownOf(query).sequences, made)
    keep(query, { sequences: changed.sequences })
    return changed
  }

  function attach(query: SequenceQuery, made: SequenceChange): AttachedChange | undefined {
    if (!shared) return undefined
    const from = knownOf(query)
    return {
      call: shared.appending(nameOf(query), made, from.position),
      receive: async (reply) => {
        const before = shared.readReply(reply, from.position)
        return before === undefined
          ? changeAlone(query, made)
          : changeShared(shared, query, made, before, from)
      },
    }
  }

  /**
   * What the processes share is kept here as well: for the time that Redis does not answer, and
   * because this process then reads that release.
   * @param from what was known when the change was sent; by now it may be more
   */
  async function changeShared(
    log: SharedPageSequences,
    query: SequenceQuery,
    made: SequenceChange,
    before: LoggedBefore | null,
    from: Known,
  ): Promise<ChangedSequences> {
    const known = knownOf(query)
    const { sequences, position } = applyLogged(before, [from, known])
    const changed = applyChange(sequences, made)
    // Where the log is another one, as after an outage, this process may know what is not in it.
    const all =
      position && position.id === known.position?.id
        ? changed
        : applyChange(merged(sequences, known.sequences), made)
    if (position && isSame(all.sequences, changed.sequences)) {
      if (!isFurther(known.position, position))
        keep(query, { sequences: changed.sequences, position })
      log.compact(nameOf(query), position, changed.sequences, made.ms)
      return changed
    }
    keep(query, { sequences: all.sequences })
    if (all.sequences.length > 0) {
      const added: SequenceChange = { kind: "add", sequences: all.sequences, ms: made.ms }
      await log.run(log.appending(nameOf(query), added, undefined))
    }
    return all
  }

  return {
    begin: async (query, started, askedMs) => {
      await change(query, { kind: "begin", started, ms: askedMs })
    },

    next: async (query, client, page, nowMs) =>
      (await change(query, { kind: "read", client, page, ms: nowMs })).release,

    attach,

    lose: async (query, release, nowMs) => {
      await change(query, { kind: "lose", release, ms: nowMs })
    },

    pin: ({ id }) => {
      const pin = { id }
      pinned.add(pin)
      onRead(pin)
      return () => pinned.delete(pin)
    },

    oldestPinned: (nowMs) => {
      let oldest = Number.POSITIVE_INFINITY
      const read = (id: number): void => {
        if (isPinnable(id)) oldest = Math.min(oldest, id)
      }
      for (const { sequences } of own.values()) {
        for (const { release } of active(sequences, nowMs)) read(release.id)
      }
      for (const { id } of pinned) read(id)
      return Number.isFinite(oldest) ? oldest : undefined
    },
  }
}

/** Before the first release there is nothing to pin. */
const isPinnable = (release: number): boolean => release > 0

/** How a query is called in the shared log. */
const nameOf = ({ accountId, key }: SequenceQuery): string => `${accountId} ${key}`

const isSame = (one: SequenceList, other: SequenceList): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

/** Replies are read in their order, except where the script had to be sent first. */
const isFurther = (one: LogPosition | undefined, other: LogPosition): boolean =>
  one?.id === other.id && one.length > other.length
