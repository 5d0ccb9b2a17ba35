/**
 * Applies the precedence that sources declare (`yieldsTo`) to one another's records.
 *
 * Two sources may have a record under two ids of one reference (`sharesReferences`). Of two ids, the
 * one with a distinction replaces the plain one. Of two with different distinctions, that of the higher
 * source replaces the other, where the records agree in the field that is the same in all files. For
 * records of one source see `shared-references.ts`.
 */
import { precedenceOver, sourcesYieldingTo } from "../sources/catalogue.ts"
import { sharedReferences } from "../sources/nsw-references.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import { keepInHistory } from "./history.ts"
import type { Load } from "./load-options.ts"
import { leaveOut, type Staging } from "./staging.ts"

const { idPrefix, plainId, sameField } = sharedReferences

/**
 * Leaves out rows of records that higher sources own, and new records that the source may not add. Call it
 * once all rows have their ids.
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
     delete from ${staged} s using r, o where s.${key} = r.key and ${isReplacedBy}
     returning s.file, 'already loaded from ' || o.source as reason`,
    [plainId, idPrefix, sources],
  )
}

/** Assigns records of lower sources to this one, which then compares and changes them like its own. */
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

/** Removes the records of lower sources that the files have under other ids. No guard counts them. */
export async function removeOtherIds(staging: Staging, release: number): Promise<number> {
  const { sql, source, resource, staged, table, key } = staging
  const lowerSources = sourcesYieldingTo(source)
  if (lowerSources.length === 0) return 0
  const isReplaced = `t.${key} in (select key from replaced)`
  const { count } = await sql.unsafe(
    `with r as materialized (${identified(table, staging)} and source = any($3::text[])),
       o as materialized (${identified(staged, staging)}),
       replaced as materialized (select r.key from r join o on ${isReplacedBy}),
       kept as (${keepInHistory(resource.table, isReplaced, "$4")})
     delete from ${table} t where ${isReplaced}`,
    [plainId, idPrefix, arrayLiteral(lowerSources), release],
  )
  return count
}

/** A query of the ids in a table with their plain ones, which are slow to extract: once for each id. */
const identified = (table: string, { key, staged }: Staging) =>
  `select ${key} as key, ${sameField} as same, substring(${key} from $1::text) as plain
     ${table === staged ? "" : ", source"}
   from ${table} where starts_with(${key}, $2)`

/** The condition that the record `r` is the record `o` under another id, and `o` stays. */
const isReplacedBy = "r.plain = o.plain and r.key <> o.key and (r.key = r.plain or r.same = o.same)"
