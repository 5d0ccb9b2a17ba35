/**
 * The changes that requests make to the page sequences of a query. They are plain data, and what they
 * lead to depends on their order alone, so that processes that apply the same changes agree.
 */
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

export type StartedSequence = Pick<PageSequence, "client" | "release" | "pages">

/** `ms` is when the request was received. */
export type SequenceChange = { ms: number } & (
  | { kind: "begin"; started: StartedSequence }
  | { kind: "read"; client: string; page: number }
  | { kind: "lose"; release: Release }
  /** Sequences become known that may not have been. */
  | { kind: "add"; sequences: SequenceList }
)

export interface ChangedSequences {
  sequences: SequenceList
  /** Of the page that was read; none if no sequence is active. */
  release?: Release | undefined
}

export function applyChange(all: SequenceList, change: SequenceChange): ChangedSequences {
  const sequences = active(all, change.ms)
  switch (change.kind) {
    case "begin":
      return { sequences: withStarted(sequences, change.started, change.ms) }
    case "read":
      return withRead(sequences, change, change.ms)
    case "lose":
      return { sequences: withLost(sequences, change.release) }
    case "add":
      return { sequences: merged(sequences, active(change.sequences, change.ms)) }
    default:
      // Of a later version of this program, that shares the log during an upgrade.
      return { sequences }
  }
}

/** Whether the change can make a sequence known: others matter only where there is one. */
export const makesKnown = ({ kind }: SequenceChange): boolean => kind === "begin" || kind === "add"
