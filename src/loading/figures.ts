/** The figures of a load: what its release's manifest keeps and its summary shows. */
import type { ResourceName } from "../resources/resource.ts"

/** Of one file, or of one resource where records come from no file. Counts are rows. */
export interface FileFigures {
  name: string
  /** Of the file as it was read, still packed; null where there is no file. */
  sha256: string | null
  /** What the numbers of its rows count, where these are no lines. */
  counted?: "features" | "records"
  read: number
  /** What is left of `read` without the following; it is this that was compared. */
  accepted: number
  rejected: number
  /** Of the rejected: rows of which not even the key can be told. */
  unreadable: number
  /** The same record again. */
  repeated: number
  /** Reason to count: rows that this source does not keep. */
  left_out: Record<string, number>
  /** Text to count: what could not be mapped and stays unknown. */
  warnings: Record<string, number>
}

export interface ChangeFigures {
  added: number
  changed: number
  removed: number
  /** Companies that became inactive because their source no longer has them. */
  deactivated: number
}

export interface LinkFigures {
  /** Tenements that belong to a company. */
  linked: number
  /** Of these, through the company's own name, and through a subsidiary's; some through both. */
  directly: number
  through_subsidiaries: number
  /** Tenements with a holder that belong to no company. */
  unlinked: number
  /** Holders that belong to no company, each under one name. */
  unlinked_holders: number
  /** Held tenements whose companies are others than before, and companies whose total is. */
  relinked: number
  retotalled: number
}

export interface Manifest {
  files: FileFigures[]
  resources: Partial<Record<ResourceName, ChangeFigures>>
  /** Absent where the load touched nothing that links depend on. */
  links?: LinkFigures
}

export const newFileFigures = (name: string): FileFigures => ({
  name,
  sha256: null,
  read: 0,
  accepted: 0,
  rejected: 0,
  unreadable: 0,
  repeated: 0,
  left_out: {},
  warnings: {},
})

/** Where a row stands in its file, for people: `line 3`, `feature 3`, `record 3`. */
export const locationOf = ({ counted }: FileFigures, line: number): string =>
  `${(counted ?? "lines").slice(0, -1)} ${line}`

/** Texts that differ in every row must not fill the memory or the manifest. */
const maxTexts = 200

export function countText(counts: Record<string, number>, text: string, by = 1): void {
  const hasRoom = text in counts || Object.keys(counts).length < maxTexts
  const key = hasRoom ? text : "others"
  counts[key] = (counts[key] ?? 0) + by
}

export const rowsRead = (files: readonly FileFigures[]): number =>
  files.reduce((total, { read }) => total + read, 0)

export const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)
