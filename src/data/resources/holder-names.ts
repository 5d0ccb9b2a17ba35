/**
 * The holders that a tenement lists, `A; B`. With `HOLDER_NAMES=companies` the service stores only names
 * that are known to belong to no natural person.
 */

import { splitValues } from "../../system/text/fold.ts"
import { normaliseName } from "./company-name.ts"
import { isImpersonal } from "./impersonal-names.ts"

/** The holders whose names the service stores. */
export type HolderNames = "all" | "companies"

/** Replaces the name of a natural person. */
const maskedHolder = "Individual"

/** South Australia's register masks each natural person as `[individual holder - name withheld for privacy]`. */
const maskedByRegister = /^\[individual holder\b.*\]$/i

/** Returns the holders that are not masked. */
export const namedHolders = (holders: string): string[] =>
  splitValues(holders).filter((name) => name !== maskedHolder && !maskedByRegister.test(name))

/**
 * Masks the names of natural persons.
 * @param known the keys of names that are never masked, such as those of companies and subsidiaries
 */
export const withoutPersons = (holders: string, known: ReadonlySet<string>): string =>
  holders.replace(eachHolder, (name) =>
    known.has(normaliseName(name)) || isImpersonal(name) ? name : maskedHolder,
  )

/** Matches the values of `splitValues`. */
const eachHolder = /[^;\s](?:[^;]*[^;\s])?/g
