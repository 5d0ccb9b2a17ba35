/** What sources do with one another's records, by the precedence that they declare (`yieldsTo`). */
import { precedenceOver, sourcesYieldingTo } from "../sources/catalogue.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import { type LeftOut, leaveOut, type Staging } from "./staging.ts"

/**
 * Leaves out rows of records that higher sources own, and new records where they may not be added.
 */
export async function leaveOutOfHigherSources(staging: Staging): Promise<LeftOut[]> {
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

/** Makes the records of lower sources this one's, to be compared and changed like its own. */
export async function takeOverFromLowerSources(staging: Staging): Promise<void> {
  const { sql, source, staged, table, key } = staging
  const lowerSources = sourcesYieldingTo(source)
  if (lowerSources.length === 0) return
  await sql.unsafe(
    `update ${table} t set source = $1 from ${staged} s
     where t.${key} = s.${key} and t.source = any($2::text[])`,
    [source, arrayLiteral(lowerSources)],
  )
}
