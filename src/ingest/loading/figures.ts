/** The counts of a load, as its release's manifest stores them and its summary shows them. */

import type { MissingRecord } from "../../data/db/missing-records.ts"
import type { Datum } from "../../data/places/reference-system.ts"
import type { LinkedShares } from "../../data/reader/source-loads.ts"
import type { HolderNames } from "../../data/resources/holder-names.ts"
import type { ResourceName } from "../../data/resources/resource.ts"
import { storableText } from "../../system/text/printable-text.ts"

/** Counts of the rows of one file. */
export interface FileFigures {
  name: string
  /** Of the file as stored, so of its compressed bytes. */
  sha256: string
  /** Of the `.shp` and `.prj` beside a dBase table. */
  sha256_beside?: string[]
  /** The unit in which its rows are numbered, if not lines. */
  counted?: "features" | "records"
  read: number
  /** Rows that were compared: `read` without those counted below. */
  accepted: number
  rejected: number
  /** Rejected rows whose key could not be read. */
  unreadable: number
  /** The file states that it lacks records of its source. */
  incomplete?: true
  /** The date that it states of itself. */
  stated?: string
  /** Identical rows of the same key. */
  repeated: number
  /** Reason to count: rows that the source does not load. */
  left_out: Record<string, number>
  /** Fields without a column; stored records keep their values. */
  kept_fields?: string[]
  /** How many rows have a shape, and the system of their coordinates; absent without shapes. */
  shapes?: number
  crs?: Datum
  /** Text to count: values that could not be mapped and stay unknown. */
  warnings: Record<string, number>
  /** Remarks on how the file was read: its encoding, ignored columns. */
  notes?: string[]
}

export interface ChangeFigures {
  added: number
  changed: number
  removed: number
  /** Records set inactive because their source no longer has them. */
  deactivated: number
  /** Changed records with another shape; absent where there are none. */
  reshaped?: number
}

export interface MissingFigures {
  /** Records that are missing from their source and not yet removed. */
  missing: number
  /** Those of them that the load before did not lack. */
  newly: number
  /** Records that were missing and are in this load. */
  returned: number
  /** The largest of the missing records. */
  largest: readonly MissingRecord[]
}

export interface LinkFigures {
  /** Tenements linked to a company. */
  linked: number
  /** Of these, by the company's present or former name, and by a subsidiary's or a confirmed holder's; some by several. */
  directly: number
  through_subsidiaries: number
  /** Of these, by a company's own schedule. */
  declared: number
  /** Declared tenements; those that no tenement matches, and those that several match. */
  declarations: { rows: number; unmatched: number; ambiguous: number }
  /** Tenements with a holder that are not linked to a company. */
  unlinked: number
  /** Holders that are not linked to a company, each counted once. */
  unlinked_holders: number
  /** Of the unlinked tenements, those that the suggestions of the list of groups would link. */
  known_groups: number
  by_state: LinkedShares
  /** Beside the load's own changes: tenements with other companies, and companies with another total. */
  changed: Record<"tenements" | "companies", number>
}

export interface Manifest {
  /** When the files were true. */
  observed: string
  /** Whether that is known, and not only when they were loaded. */
  observed_is_known: boolean
  /** Whether its records name holders that may be natural persons: `all`, or only `companies`. */
  holder_names: HolderNames
  files: readonly FileFigures[]
  resources: Partial<Record<ResourceName, ChangeFigures>>
  /** Absent where the load changed nothing that links depend on. */
  links?: LinkFigures
}

export interface PublishedLoad {
  /** Null where nothing is published: nothing differs, or it is a dry run. */
  release: number | null
  /** Of the source, as all figures but those of links. */
  resource: ResourceName
  /** When the files were true, and whether that is known, as in the manifest. */
  observed: string
  observedIsKnown: boolean
  files: readonly FileFigures[]
  changes: ChangeFigures
  missing: MissingFigures
  /** Null where the load changed nothing that links depend on. */
  links: LinkFigures | null
}

export const noChanges: ChangeFigures = { added: 0, changed: 0, removed: 0, deactivated: 0 }

export const rowsChanged = ({ added, changed, removed, deactivated }: ChangeFigures): number =>
  added + changed + removed + deactivated

export const newFileFigures = (name: string): FileFigures => ({
  name,
  sha256: "",
  read: 0,
  accepted: 0,
  rejected: 0,
  unreadable: 0,
  repeated: 0,
  left_out: {},
  warnings: {},
})

/** @param remark on how the file was read */
export const addNote = (file: FileFigures, remark: string): void => {
  file.notes = [...(file.notes ?? []), storableText(remark)]
}

export function fileAt<File>(files: readonly File[], index: number): File {
  const file = files[index]
  if (!file) throw new Error(`No file ${index}`)
  return file
}

/** The unit in which the rows of a file are numbered. */
export const unitOf = ({ counted }: Pick<FileFigures, "counted">): "line" | "feature" | "record" =>
  counted === "features" ? "feature" : counted === "records" ? "record" : "line"

/** Bounds the memory and the manifest where texts differ in every row. */
const maxTexts = 200

export function countText(counts: Record<string, number>, text: string, by = 1): void {
  const hasRoom = text in counts || Object.keys(counts).length < maxTexts
  const key = hasRoom ? text : "others"
  counts[key] = (counts[key] ?? 0) + by
}

export const totalOf = <File>(files: readonly File[], count: (file: File) => number): number =>
  files.reduce((total, file) => total + count(file), 0)

export const rowsRead = (files: readonly FileFigures[]): number =>
  totalOf(files, ({ read }) => read)

/** The reference systems of their shapes. */
export const systemsOf = (files: readonly FileFigures[]): string[] =>
  [...new Set(files.flatMap(({ crs }) => crs ?? []))].sort()

/** Whether a record without a row in the file is missing: a row without a key could be its row. */
export const showsAbsence = ({ unreadable, incomplete }: FileFigures): boolean =>
  unreadable === 0 && !incomplete

export const sum = (counts: Record<string, number> | readonly number[]): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)
