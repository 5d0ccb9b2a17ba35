import { type SQL, sql } from "drizzle-orm"
import type { PgColumn } from "drizzle-orm/pg-core"
import { fold } from "../text/fold.ts"
import { containing, contains } from "./conditions.ts"
import { type Filter, filter, type Mask, type Value } from "./resource.ts"
import { freeText } from "./values.ts"

/**
 * Declares a filter for part of a text, on the column of the folded text, which has a trigram index.
 * For a term without a trigram that index returns every row, and scanning the table takes a fraction of
 * the time: such a term's condition has a form that no index serves.
 * @param mask what is left to search where natural persons are not named
 */
export function termFilter(
  description: string,
  example: string,
  column: PgColumn,
  mask?: Mask,
): Filter {
  const declared = filter(freeText(description, example), contains(column), fold, containing)
  const condition = conditionOn(contains(column))
  if (!mask) return { ...declared, ...condition }
  const isLeftIn = (text: SQL) => contains(mask(text))
  // By the index first, and then in what is left of the few that it finds.
  const isShown = (pattern: SQL) =>
    sql`(${contains(column)(pattern)} and ${isLeftIn(sql`${column}`)(pattern)})`
  return { ...declared, ...condition, masked: { ...conditionOn(isShown), column, isLeftIn } }
}

const conditionOn = (where: (pattern: SQL) => SQL) => ({
  where,
  byScan: {
    where: (pattern: SQL) => sql`(${where(pattern)}) is true`,
    isNeededFor: (term: NonNullable<Value>) => !hasTrigram(String(term)),
  },
})

const hasTrigram = (folded: string): boolean => /[\p{L}\p{N}]{3}/u.test(folded)
