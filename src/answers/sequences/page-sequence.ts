/**
 * Which page sequence a page belongs to.
 *
 * Page 1 begins a sequence. Several sequences of one query are distinguished by the page that each
 * expects next and by the client that reads them. A later page belongs to the first of these:
 *
 *  1. the newest of the client's own sequences that expects the page, or that read it last, which
 *     makes it a retry; but an older sequence that has been read to its end gets no retries;
 *  2. the client's newest, if it has read the page before and has not been read to its end;
 *  3. the newest sequence that expects the page or read it last, of those that other clients have
 *     begun since: a client's address may change from one page to the next;
 *  4. the client's newest, or else the newest of all: pages are read in parallel or at random.
 *
 * A sequence whose release is no longer available takes no page, except that its client gets the same
 * error for each later page until it begins again.
 *
 * So a client that begins again is on the new release throughout. It continues an older sequence
 * only exactly where that stopped, and only until the new one has come as far, as when it reads the
 * two in turn. Clients that read one query in step can each send an `_` of their own, which keeps
 * their sequences apart.
 */
import { type Release, releaseKey } from "../../db/reader/releases.ts"

export interface PageSequence {
  release: Release
  /** Who reads it: its token and its address. */
  client: string
  /** When its page 1 was requested, which distinguishes it from others of its client. */
  startedMs: number
  /** How many pages it has; unknown if page 1 was answered with 304. */
  pages?: number | undefined
  /** The page after the last that was read. */
  expectedPage: number
  readMs: number
  /** Its release is no longer available. */
  isLost?: boolean | undefined
}

/** The sequences of one query, the newest at the end. */
export type SequenceList = readonly PageSequence[]

export const sequenceIdleMs = 15 * 60 * 1000
/** Beyond this number, the least recently read are dropped. */
const keptSequencesOfQuery = 50

/** The sequences that were read within the last 15 minutes. */
export function active(sequences: SequenceList, nowMs: number): SequenceList {
  const isActive = ({ readMs }: PageSequence) => nowMs - readMs <= sequenceIdleMs
  return sequences.every(isActive) ? sequences : sequences.filter(isActive)
}

/**
 * Page 1 was answered, and more pages follow.
 * @param askedMs when it was requested: a request that was abandoned and sent again may end last
 */
export const withStarted = (
  sequences: SequenceList,
  { release, client, pages }: Pick<PageSequence, "release" | "client" | "pages">,
  askedMs: number,
): SequenceList => {
  const started = { release, client, pages, startedMs: askedMs, expectedPage: 2, readMs: askedMs }
  return replacesAll(started, sequences) ? [started] : merged(sequences, [started])
}

/**
 * Whether nothing would be left of the other sequences after merging: page 1 was the last page read of
 * the only one, by the same client. That is the case wherever a client requests page 1 repeatedly.
 */
function replacesAll(started: PageSequence, [only, ...others]: SequenceList): boolean {
  if (only === undefined) return true
  const isEarlier =
    only.startedMs < started.startedMs ||
    (only.startedMs === started.startedMs &&
      releaseKey(only.release) === releaseKey(started.release))
  return (
    others.length === 0 &&
    isEarlier &&
    only.client === started.client &&
    only.expectedPage === 2 &&
    !only.isLost
  )
}

/** A later page is read: the list after that, and the page's release; none if no sequence is active. */
export function withRead(
  sequences: SequenceList,
  { client, page }: { client: string; page: number },
  nowMs: number,
): { sequences: SequenceList; release: Release | undefined } {
  const sequence = sequenceOfPage(sequences, client, page)
  if (!sequence) return { sequences, release: undefined }
  const read = furthest(sequence, { ...sequence, expectedPage: page + 1, readMs: nowMs })
  const changed = sequences.map((each) => (each === sequence ? read : each))
  return { sequences: withoutReached(changed), release: sequence.release }
}

/** The release is no longer available. */
export const withLost = (sequences: SequenceList, release: Release): SequenceList =>
  sequences.map((each) =>
    releaseKey(each.release) === releaseKey(release) ? { ...each, isLost: true } : each,
  )

function sequenceOfPage(all: SequenceList, client: string, page: number): PageSequence | undefined {
  const meant = all.findLast((sequence) => sequence.client === client) ?? all.at(-1)
  if (meant?.isLost) return meant
  const sequences = all.filter(({ isLost }) => !isLost)
  const expects = ({ expectedPage }: PageSequence) => page === expectedPage
  const readLast = ({ expectedPage }: PageSequence) => page === expectedPage - 1
  const own = sequences.filter((sequence) => sequence.client === client)
  const newest = own.at(-1)
  const continued = own.findLast(
    (sequence) =>
      expects(sequence) ||
      (readLast(sequence) && (sequence === newest || !isAtEnd(sequence, true))),
  )
  if (continued) return continued
  if (newest && page < newest.expectedPage && !isAtEnd(newest, false)) return newest
  const startedSince = sequences.slice(newest ? sequences.indexOf(newest) + 1 : 0)
  return (
    startedSince.findLast((sequence) => expects(sequence) || readLast(sequence)) ??
    newest ??
    sequences.at(-1)
  )
}

/** @param ifUnknown the result if the number of pages is not known */
const isAtEnd = ({ expectedPage, pages }: PageSequence, ifUnknown: boolean): boolean =>
  pages === undefined ? ifUnknown : expectedPage > pages

/** Two lists of the same query in one. Each sequence is as far as it is in either. */
export function merged(one: SequenceList, other: SequenceList): SequenceList {
  const sequences = new Map(one.map((sequence) => [nameOf(sequence), sequence]))
  for (const sequence of other) {
    const known = sequences.get(nameOf(sequence))
    sequences.set(nameOf(sequence), known ? furthest(known, sequence) : sequence)
  }
  const ahead = withoutReached([...sequences.values()].sort(oldestFirst))
  if (ahead.length <= keptSequencesOfQuery) return ahead
  return ahead
    .sort((a, b) => b.readMs - a.readMs)
    .slice(0, keptSequencesOfQuery)
    .sort(oldestFirst)
}

const oldestFirst = (a: PageSequence, b: PageSequence): number =>
  a.startedMs - b.startedMs || a.release.id - b.release.id

const nameOf = ({ client, startedMs, release }: PageSequence): string =>
  `${client} ${startedMs} ${releaseKey(release)}`

const furthest = (one: PageSequence, other: PageSequence): PageSequence => ({
  ...one,
  expectedPage: Math.max(one.expectedPage, other.expectedPage),
  readMs: Math.max(one.readMs, other.readMs),
  isLost: one.isLost || other.isLost,
})

/** Drops each sequence that a newer one of its client has reached: no page can belong to it any more. */
function withoutReached(sequences: SequenceList): PageSequence[] {
  const reached = new Map<string, number>()
  const ahead: PageSequence[] = []
  for (const sequence of sequences.toReversed()) {
    if (sequence.expectedPage <= (reached.get(sequence.client) ?? 0)) continue
    reached.set(sequence.client, sequence.expectedPage)
    ahead.push(sequence)
  }
  return ahead.reverse()
}
