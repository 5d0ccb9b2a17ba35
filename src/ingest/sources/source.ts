/**
 * A source: public files, or files in a resource's own columns, read as records of one resource. Each declares
 * the columns of its files, the mapping of a row, and the effect of a missing record; `catalogue.ts` lists all.
 * Reading, validation, staging and publishing are the same for all, in `loading`. A record belongs to the
 * source that loaded it: no other source changes it.
 */
import type { State } from "../../data/db/schema.ts"
import type { Resource } from "../../data/resources/resource.ts"
import type { Columns } from "./columns.ts"

/**
 * A row as read, by column name: text from CSV, TSV and dBase, any JSON value from the JSON forms.
 */
export type RawRecord = Readonly<Record<string, unknown>>

export type FileFormat = "csv" | "tsv" | "ndjson" | "json" | "geojson" | "dbase"

export interface MapOptions {
  format: FileFormat
  /** Loads companies of every sector, where a source would leave some out. */
  allSectors?: boolean | undefined
  /** The stored name of a company; undefined where there is none. */
  storedName?: ((code: string) => string | undefined) | undefined
}

/** The mapping of one row. */
export type Mapped =
  | {
      /** Field name to a value that is not yet validated; text is read as the field's type. */
      record: RawRecord
      /** False where its key is made of invalid values, so that the row may be any record's. */
      hasCertainKey?: boolean
      /** Values that could not be mapped and stay unknown; counted by text, so keep texts few. */
      warnings?: readonly string[]
      /**
       * The reason to leave the row out, unless the source has already loaded a record of its key, which
       * the load then updates.
       */
      onlyIfStored?: string
    }
  | { rejected: string }
  /** A row that is not a record of the resource; counted by reason. */
  | { leftOut: string }

/** The terms on which a source is published. */
export interface Published {
  /** By its usual short name: `CC BY 4.0`. */
  licence: string
  /** The words that the licence requires. */
  attribution?: string
}

export interface Source {
  /** As on the command line, in releases and in each record's `source` column. */
  name: string
  /** One line for the help of the command line. */
  description: string
  resource: Resource
  /** The terms of its publisher, where known. An operator may know more. */
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
  /** The files are complete for each value of this field that they have, and say nothing of other values. */
  completeBy?: string
  /** A missing company becomes inactive. Any other missing record is removed. */
  deactivatesMissing?: true
  /**
   * Its files are an operator's own: a load removes missing records at once. Records that other files lack
   * are missing until further loads confirm it, because public downloads lack records for hours.
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
  /** The state whose tenements it has. */
  state?: State
  map: (raw: RawRecord, options: MapOptions) => Mapped
}
