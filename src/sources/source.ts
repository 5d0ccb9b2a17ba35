/**
 * What a source is: a public file, or a file of a resource's own columns, read as records of one
 * resource. Each source is one file here, and declares which columns its files have, what one row
 * is, what it means that a record is missing from them, and which other sources take precedence.
 * Reading, validation, staging and publishing are the same for all, in `loading`.
 */
import type { Resource } from "../resources/resource.ts"
import type { Columns } from "./columns.ts"

/**
 * A row as read, by column name: text from CSV, TSV and dBase, any JSON value from the JSON forms.
 */
export type RawRecord = Readonly<Record<string, unknown>>

export type FileFormat = "csv" | "tsv" | "ndjson" | "json" | "geojson" | "dbase"

export interface MapOptions {
  format: FileFormat
  /** Loads companies of every sector, where a source would leave some out. */
  allSectors: boolean
}

/** What one row is. */
export type Mapped =
  | {
      /** Field name to a value that is not yet validated; text is read as the field's type. */
      record: RawRecord
      /** Values that could not be mapped and stay unknown; counted by text, so keep texts few. */
      warnings?: readonly string[]
      /**
       * The reason to leave the row out, unless the source has already loaded a record of its key:
       * that record is then updated, as it is still in the file.
       */
      onlyIfStored?: string
      /**
       * Where several records may have one reference (`sharesReferences`): what tells this one from
       * the others, safe in a path; empty where the row has nothing that does.
       */
      distinction?: string
    }
  | { rejected: string }
  /** A row that is not a record of the resource; counted by reason. */
  | { leftOut: string }

/** On what terms a source is published. */
export interface Published {
  /** By its usual short name: `CC BY 4.0`. */
  licence: string
  /** The words that the licence asks for. */
  attribution?: string
}

export interface Source {
  /** As on the command line, in releases and in each record's `source` column. */
  name: string
  /** One line for the help of the command line. */
  description: string
  resource: Resource
  /** What its publisher says of it, where that is known. An operator may know more. */
  published?: Published
  columns: Columns
  /** Matches a line that may precede the header. */
  banner?: RegExp
  /** The date that this line states, as `2026-01-02`; undefined where it states none. */
  bannerDate?: (banner: string) => string | undefined
  /**
   * Whether all files of one load are the complete set, so that a record not in them is missing.
   */
  complete: boolean
  /** What becomes of a missing record: it is removed, or a boolean column of it is set to false. */
  whenMissing: "remove" | { setFalse: string }
  /**
   * Its files are an operator's own word: what they lack goes at once. What other files lack is
   * missing until further loads confirm it, because public downloads lack records for hours.
   */
  removesMissingAtOnce?: true
  /**
   * The fields that are read from optional columns, with these columns. Where a file lacks one of them
   * and has no value of the field in any row, the field of a stored record stays as it is.
   */
  fromOptional?: Readonly<Record<string, readonly string[]>>
  /**
   * A field of which its files have a row for each value: rows of one key that differ in nothing
   * else are one record that lists all values, as `A; B`.
   */
  joinedField?: string
  /** Its files may list a company under a temporary code: see `loading/temporary-codes.ts`. */
  hasTemporaryCodes?: true
  /** Several of its records may have one reference: see `nsw-references.ts`. */
  sharesReferences?: true
  /**
   * Sources that take precedence: their records are never touched and they take over this source's
   * records. `mayAdd` says whether records that none of them has may be added once one of them is
   * loaded.
   */
  yieldsTo?: { sources: readonly string[]; mayAdd: boolean }
  map: (raw: RawRecord, options: MapOptions) => Mapped
}
