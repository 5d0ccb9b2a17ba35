/**
 * The holders that a tenement lists, `A; B`, and how they are stored where natural persons are not named
 * (`HOLDER_NAMES=companies`): a name stays only if it is known to be of no person.
 */
import { normaliseName } from "./company-name.ts"
import { splitValues } from "./fold.ts"
import { isImpersonal } from "./impersonal-names.ts"

/** Which holders are stored by their names. */
export type HolderNames = "all" | "companies"

/** Stored in place of a natural person's name. */
const maskedHolder = "Individual"

/** The holders whose names are stored. */
export const namedHolders = (holders: string): string[] =>
  splitValues(holders).filter((name) => name !== maskedHolder)

/**
 * The holders without natural persons.
 * @param known the keys of names that are never masked, as those of companies and subsidiaries
 */
export const withoutPersons = (holders: string, known: ReadonlySet<string>): string =>
  holders.replace(eachHolder, (name) =>
    known.has(normaliseName(name)) || isImpersonal(name) ? name : maskedHolder,
  )

/** As `splitValues` finds them. */
const eachHolder = /[^;\s](?:[^;]*[^;\s])?/g
