/** Maps the rows of a register to tenements, with warnings for values that stay unknown. */
import type { State } from "../../data/db/schema.ts"
import type { Columns } from "./columns.ts"
import { holdersText } from "./register-holders.ts"
import {
  areaOf,
  dateOf,
  type MappedValue,
  shownReference,
  tenementIdOf,
  Unmapped,
  writtenText,
} from "./register-values.ts"
import type { Mapped, RawRecord } from "./source.ts"
import { statusOf } from "./tenement-statuses.ts"
import { typeOf } from "./tenement-types.ts"

/** By the name of a cell in a row: the columns that it may be in, in the exports that a layout has had. */
type Cells = Readonly<Record<string, readonly string[]>>

/**
 * A row of a register before dates, phrases and areas are parsed: `reference`, `type`, `status`, `granted`
 * and `expires`, the area as `squareMetres`, as `hectares`, or as `area` with its `unit`, and `givenName`
 * and `commodities`.
 */
type Entry = RawRecord & {
  /** One holder each. */
  holders: readonly unknown[]
  /** The text of its id, if several tenements may share the reference. */
  identity?: string | null
}

/** Land that the authority opens to applications again, in files beside or among tenements. */
export const leftOutArea = { leftOut: "exploration release areas, which are not tenements" }

type Skipped = Exclude<Mapped, { record: RawRecord }>

/** The columns of a register, and the reading of its rows. */
export interface Layout extends Pick<Columns, "excludedBy"> {
  required: Cells
  optional: Cells
  entryOf: (raw: RawRecord, state: State) => Entry | Skipped
}

export function tenementOf(entry: Entry, state: State): Mapped {
  const reference = writtenText(entry.reference)
  // Every register numbers its tenements. A text without a digit is a header, a total or a name of a shifted row.
  if (reference === null || !/\d/.test(reference))
    return { rejected: "has no tenement reference with a number, from which its id is made" }
  const warnings: string[] = []
  const valueOrWarning = <T>(field: string, read: MappedValue<T>): T | null => {
    if (!(read instanceof Unmapped)) return read
    warnings.push(`${field} ${read.why}`)
    return null
  }
  return {
    record: {
      id: tenementIdOf(state, entry.identity ?? reference),
      tenement_id: shownReference(reference),
      state,
      status: valueOrWarning("status", vocabularyWord(entry.status, statusOf)),
      type: valueOrWarning(
        "type",
        vocabularyWord(entry.type, (phrase) => typeOf(state, phrase, reference)),
      ),
      holder_name: holdersText(entry.holders),
      grant_date: valueOrWarning("grant_date", dateOf(entry.granted, state)),
      expiry_date: valueOrWarning("expiry_date", dateOf(entry.expires, state)),
      area_km2: valueOrWarning(
        "area_km2",
        areaOf(entry.hectares, "ha") ??
          areaOf(entry.squareMetres, "m2") ??
          areaOf(entry.area, entry.unit),
      ),
      name: writtenText(entry.givenName),
      commodities: writtenText(entry.commodities),
    },
    warnings,
  }
}

function vocabularyWord<Word extends string>(
  written: unknown,
  wordOf: (phrase: string) => Word | undefined,
): MappedValue<Word> {
  const phrase = writtenText(written)
  if (phrase === null) return null
  return wordOf(phrase) ?? new Unmapped(`has no mapping for "${phrase.slice(0, 60)}"`)
}
