/**
 * What a source is: a public file, or a file of a resource's own columns, as records of one resource.
 * Each source is one file here and says three things: which columns its files have, what one of its
 * rows is, and what it means that a record is no longer in them. Reading, validation, staging and
 * publishing are the same for all and live in `releases`.
 */
import type { Resource } from "../resources/resource.ts"
import type { Columns } from "./columns.ts"

/** A row as read, by column name: text from CSV, TSV and dBase, any JSON value from the JSON forms. */
export type RawRecord = Readonly<Record<string, unknown>>

export type Format = "csv" | "tsv" | "ndjson" | "json" | "geojson" | "dbase"

export interface MapOptions {
  format: Format
  /** Keeps the companies of every sector, where a source would leave some out. */
  allSectors: boolean
}

/** What one row is. */
export type Mapped =
  | {
      /** Field name to a value that is not yet validated; text is read as the field's type. */
      record: RawRecord
      /** What could not be mapped and stays unknown; counted by their text, so keep them few. */
      warnings?: readonly string[]
      /**
       * The reason to leave the row out, unless the source holds a record of its key already: that
       * record is then updated, for it is still in the file.
       */
      onlyIfStored?: string
    }
  | { rejected: string }
  /** A row that is no record of the resource; counted by its reason. */
  | { leftOut: string }

export interface Source {
  /** As written on the command line, in releases and beside each record. */
  name: string
  /** One line for the command line's help. */
  description: string
  resource: Resource
  columns: Columns
  /** Lines that may stand before the header. */
  banner?: RegExp
  /** All files of one load are the source's whole set, so a record that they lack is missing. */
  complete: boolean
  /** What becomes of a missing record; `deactivate` sets `is_active` to false. */
  whenMissing: "remove" | "deactivate"
  map: (raw: RawRecord, options: MapOptions) => Mapped
}
