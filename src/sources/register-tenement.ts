/**
 * Maps the cells of any state's register to a tenement, with warnings for values that stay unknown.
 */
import type { State } from "../db/schema.ts"
import { tenements } from "../resources/tenements.ts"
import { distinctionOf } from "./nsw-references.ts"
import {
  areaOf,
  dateOf,
  holdersOf,
  type MappedValue,
  shownReference,
  tenementIdOf,
  textOf,
  Unmapped,
} from "./register-values.ts"
import type { Mapped } from "./source.ts"
import { statusOf } from "./tenement-statuses.ts"
import { typeOf } from "./tenement-types.ts"

/**
 * What all registers have in common: complete sets, some with a row for each holder of a tenement.
 */
export const registerSource = {
  resource: tenements,
  complete: true,
  whenMissing: "remove",
  joinedField: "holder_name",
} as const

/** Cells as in the register, before dates, phrases and areas are parsed. */
export interface Entry {
  state: State
  /** The whole reference, from which the id is made. */
  reference: unknown
  /** The act of parliament under which it was granted, of titles whose numbers begin anew with each. */
  act?: unknown
  status: unknown
  type: unknown
  /** One holder each. */
  holders: readonly unknown[]
  grantDate: unknown
  expiryDate: unknown
  area: unknown
  /** Used where the area itself has no unit. */
  areaUnit?: unknown
}

export function tenementOf(entry: Entry): Mapped {
  const { state } = entry
  const reference = textOf(entry.reference)
  // The id keeps letters and digits: of punctuation alone, all references would share one id.
  if (reference === null || !/[a-z0-9]/i.test(reference))
    return { rejected: "has no tenement reference, from which its id is made" }
  const warnings: string[] = []
  const valueOrWarning = <T>(field: string, read: MappedValue<T>): T | null => {
    if (!(read instanceof Unmapped)) return read
    warnings.push(`${field} ${read.why}`)
    return null
  }
  return {
    record: {
      id: tenementIdOf(state, reference),
      tenement_id: shownReference(reference),
      state,
      status: valueOrWarning("status", vocabularyWord(entry.status, statusOf)),
      type: valueOrWarning(
        "type",
        vocabularyWord(entry.type, (phrase) => typeOf(state, phrase, reference)),
      ),
      holder_name: holdersOf(entry.holders),
      grant_date: valueOrWarning("grant_date", dateOf(entry.grantDate, state)),
      expiry_date: valueOrWarning("expiry_date", dateOf(entry.expiryDate, state)),
      area_km2: valueOrWarning("area_km2", areaOf(entry.area, entry.areaUnit)),
    },
    warnings,
    ...(state === "NSW" ? { distinction: distinctionOf(entry) } : {}),
  }
}

function vocabularyWord<Word extends string>(
  written: unknown,
  wordOf: (phrase: string) => Word | undefined,
): MappedValue<Word> {
  const phrase = textOf(written)
  if (phrase === null) return null
  return wordOf(phrase) ?? new Unmapped(`has no mapping for "${phrase.slice(0, 60)}"`)
}
