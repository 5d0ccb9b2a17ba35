/**
 * What sources do with one another's records, by the precedence that they declare (`yieldsTo`).
 *
 * Two sources may have a record under two ids of one reference (`sharesReferences`). Of two ids, the
 * plain one gives way to the one with a distinction, which says more. Of two with different
 * distinctions, that of the lower source gives way, where the records agree in the field that is the
 * same in all files. The source's own: `shared-references.ts`.
 */
import { precedenceOver, sourcesYieldingTo } from "../sources/catalogue.ts"
import { sharedReferences } from "../sources/nsw-references.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import { keepInHistory } from "./history.ts"
import type { Load } from "./load-options.ts"
import { leaveOut, type Staging } from "./staging.ts"

const { idPrefix, plainId, sameField } = sharedReferences

/**
 * Leaves out rows of records that higher sources own, and new records where they may not be added.
 * Called once all rows have their ids.
 */
export async function leaveOutOfHigherSources(
  staging: Staging,
  { files, source: { sharesReferences } }: Load,
): Promise<void> {
  const { source, staged, table, key } = staging
  const higher = precedenceOver(source)
  if (!higher) return
  const sources = arrayLiteral(higher.sources)
  await leaveOut(
    staging,
    files,
    `delete from ${staged} s using (
       select s.ctid as place, t.source as owner
       from ${staged} s left join ${table} t on t.${key} = s.${key}
     ) known
     where known.place = s.ctid and (known.owner = any($1::text[]) or
       known.owner is null and not $2::boolean
         and exists (select from ${table} t where t.source = any($1::text[])))
     returning s.file, coalesce('already loaded from ' || known.owner, $3) as reason`,
    [sources, higher.mayAdd, `not in ${higher.sources.join(" or ")}`],
  )
  if (!sharesReferences) return
  await leaveOut(
    staging,
    files,
    `with r as materialized (${identified(staged, staging)}),
       o as materialized (${identified(table, staging)} and source = any($3::text[]))
     delete from ${staged} s using r, o where s.${key} = r.key and ${givesWay}
     returning s.file, 'already loaded from ' || o.source as reason`,
    [plainId, idPrefix, sources],
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

/**
 * Removes the records of lower sources that the files have under other ids. They are not missing: no
 * guard counts them.
 */
export async function removeOtherIds(staging: Staging, release: number): Promise<number> {
  const { sql, source, resource, staged, table, key } = staging
  const lowerSources = sourcesYieldingTo(source)
  if (lowerSources.length === 0) return 0
  const isReplaced = `t.${key} in (select key from replaced)`
  const { count } = await sql.unsafe(
    `with r as materialized (${identified(table, staging)} and source = any($3::text[])),
       o as materialized (${identified(staged, staging)}),
       replaced as materialized (select r.key from r join o on ${givesWay}),
       kept as (${keepInHistory(resource.table, isReplaced, "$4")})
     delete from ${table} t where ${isReplaced}`,
    [plainId, idPrefix, arrayLiteral(lowerSources), release],
  )
  return count
}

/** A query of the ids in a table with their plain ones, which take long to find: only once each. */
const identified = (table: string, { key, staged }: Staging) =>
  `select ${key} as key, ${sameField} as same, substring(${key} from $1::text) as plain
     ${table === staged ? "" : ", source"}
   from ${table} where starts_with(${key}, $2)`

/** The condition that the record `r` is the record `o`, which has another id and stays. */
const givesWay = "r.plain = o.plain and r.key <> o.key and (r.key = r.plain or r.same = o.same)"
