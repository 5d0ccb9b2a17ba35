/** Applies the precedence that sources of companies or subsidiaries declare (`yieldsTo`). */
import { precedenceOver } from "../sources/catalogue.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import type { RowCount } from "./figures.ts"
import { leaveOut, type Staging } from "./staging.ts"

/** Leaves out rows of records that higher sources own, and new records that the source may not add. */
export async function leaveOutOfHigherSources(staging: Staging): Promise<RowCount[]> {
  const { source, staged, table, key } = staging
  const higher = precedenceOver(source)
  if (!higher) return []
  return leaveOut(
    staging,
    `delete from ${staged} s using (
       select s.ctid as place, t.source as owner
       from ${staged} s left join ${table} t on t.${key} = s.${key}
     ) known
     where known.place = s.ctid and (known.owner = any($1::text[]) or
       known.owner is null and not $2::boolean
         and exists (select from ${table} t where t.source = any($1::text[])))
     returning s.file, coalesce('already loaded from ' || known.owner, $3) as reason`,
    [arrayLiteral(higher.sources), higher.mayAdd, `not in ${higher.sources.join(" or ")}`],
  )
}
