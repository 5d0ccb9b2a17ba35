/**
 * Keeps the pages of one query on one release, so that incrementing `page` gives each record exactly
 * once while data is being published. Page 1 shows the newest release, or the newest by the time in
 * `as_of`. A later page of the same query by the same account shows the release of its page 1, until
 * 15 minutes have passed since the last page was read, in any process.
 */
import { createFairCache } from "../../db/fair-cache.ts"
import type { Release } from "../../db/reader/releases.ts"
import {
  active,
  merged,
  type PageSequence,
  type SequenceList,
  withLost,
  withRead,
  withStarted,
} from "./page-sequence.ts"
import type { SharedPageSequences } from "./shared-page-sequences.ts"

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
  /** A release that a page of the query belongs to is no longer available. */
  lose(query: SequenceQuery, release: Release, nowMs: number): Promise<void>
  /** Pins a release for an export. Returns the function that unpins it. */
  pin(release: Release): () => void
  /** The number of the oldest release that an active sequence or an export reads, as far as this process knows. */
  oldestPinned(nowMs: number): number | undefined
}

/** About what one takes in memory, with its client's name. */
const sequenceBytes = 200

export type StartedSequence = Pick<PageSequence, "client" | "release" | "pages">

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
  const own = createFairCache<SequenceList>({
    maxBytes,
    bytesOf: (sequences) => sequences.length * sequenceBytes,
  })
  const pinned = new Set<{ id: number }>()

  /** Before the first release there is nothing to pin. */
  function onRead({ id }: Pick<Release, "id">): void {
    if (id > 0) onPinned(id)
  }

  function keep<T extends { sequences: SequenceList }>(query: SequenceQuery, changed: T): T {
    if (changed.sequences.length > 0) own.set(query.accountId, query.key, changed.sequences)
    for (const { release } of changed.sequences) onRead(release)
    return changed
  }

  /**
   * What the processes share is kept here as well: for the time that Redis does not answer, and
   * because this process then reads that release.
   */
  async function change<T extends { sequences: SequenceList }>(
    query: SequenceQuery,
    nowMs: number,
    to: (sequences: SequenceList) => T,
  ): Promise<T> {
    const toActive = (sequences: SequenceList) => to(active(sequences, nowMs))
    const known = () => own.get(query.accountId, query.key) ?? []
    const changed = await shared?.change(`${query.accountId} ${query.key}`, known, toActive)
    if (!changed) return keep(query, toActive(known()))
    // What is kept here may have changed while Redis was asked.
    keep(query, { sequences: active(merged(known(), changed.sequences), nowMs) })
    return changed
  }

  return {
    begin: async (query, started, askedMs) => {
      await change(query, askedMs, (sequences) => ({
        sequences: withStarted(sequences, started, askedMs),
      }))
    },

    next: async (query, client, page, nowMs) => {
      const read = await change(query, nowMs, (sequences) =>
        withRead(sequences, { client, page }, nowMs),
      )
      return read.release
    },

    lose: async (query, release, nowMs) => {
      await change(query, nowMs, (sequences) => ({ sequences: withLost(sequences, release) }))
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
        // Before the first release there is nothing to pin.
        if (id > 0) oldest = Math.min(oldest, id)
      }
      for (const sequences of own.values()) {
        for (const { release } of active(sequences, nowMs)) read(release.id)
      }
      for (const { id } of pinned) read(id)
      return Number.isFinite(oldest) ? oldest : undefined
    },
  }
}
