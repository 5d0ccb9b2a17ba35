import { type SQL, sql } from "drizzle-orm"
import type { PgColumn } from "drizzle-orm/pg-core"
import { fold } from "../text/fold.ts"
import { containing, contains } from "./conditions.ts"
import { type Filter, filter } from "./resource.ts"
import { freeText } from "./values.ts"

/**
 * Declares a filter for part of a text, on the column of the folded text, which has a trigram index.
 * For a term without a trigram that index returns every row, and scanning the table takes a fraction of
 * the time: such a term's condition has a form that no index serves.
 */
export function termFilter(description: string, example: string, column: PgColumn): Filter {
  const where = contains(column)
  return {
    ...filter(freeText(description, example), where, fold, containing),
    byScan: {
      where: (pattern: SQL) => sql`(${where(pattern)}) is true`,
      isNeededFor: (term) => !hasTrigram(String(term)),
    },
  }
}

const hasTrigram = (folded: string): boolean => /[\p{L}\p{N}]{3}/u.test(folded)
