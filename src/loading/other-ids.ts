/**
 * Recognises a record that another source has under another id of the same reference
 * (`sharedReferences`). Of two ids, the plain one gives way to the one with a distinction, which says
 * more. Of two with different distinctions, that of the lower source gives way, where the records
 * agree in the field that is the same in all files. The source's own: `stored-ids.ts`.
 */
import { precedenceOver, sourcesYieldingTo } from "../sources/catalogue.ts"
import type { SharedReferences } from "../sources/source.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import { keepInHistory } from "./history.ts"
import { type LeftOut, leaveOut, type Staging } from "./staging.ts"

const higherSources = (source: string) => precedenceOver(source)?.sources ?? []
const ownAndLowerSources = (source: string) => [source, ...sourcesYieldingTo(source)]

/**
 * Leaves out rows of records that higher sources own under other ids, and finds the stored records
 * for `removeOtherIds`. Called once all rows have their ids.
 */
export async function leaveOutOtherIds(
  staging: Staging,
  sharedReferences: SharedReferences,
): Promise<LeftOut[]> {
  const { source, staged, key } = staging
  await collectIds(staging, sharedReferences)
  return leaveOut(
    staging,
    `delete from ${staged} s using other_ids r, other_ids o
     where s.${key} = r.key and r.source is null and o.source = any($1::text[]) and ${givesWay}
     returning s.file, 'already loaded from ' || o.source as reason`,
    [arrayLiteral(higherSources(source))],
  )
}

/**
 * Removes the records of lower sources that the files have under other ids, and those, as well as
 * this source's own, that a higher source has. They are not missing: no guard counts them.
 */
export async function removeOtherIds(staging: Staging, release: number): Promise<number> {
  const { sql, source, resource, staged, table, key } = staging
  const condition = `t.${key} in (
    select r.key from other_ids r join other_ids o on ${givesWay}
    where r.source = any($1::text[])
      and (o.source is null and r.source <> $3 or o.source = any($2::text[]))
      and not exists (select from ${staged} s where s.${key} = r.key))`
  const result = await sql.unsafe(
    `with kept as (${keepInHistory(resource.table, condition, "$4")})
     delete from ${table} t where ${condition}`,
    [
      arrayLiteral(ownAndLowerSources(source)),
      arrayLiteral(higherSources(source)),
      source,
      release,
    ],
  )
  return result.count
}

/**
 * Each id with its plain one, which takes long to find, of staged rows (without a source) and
 * stored ones.
 */
async function collectIds(
  { sql, source, staged, table, key }: Staging,
  { idPrefix, plainId, sameField }: SharedReferences,
): Promise<void> {
  const columns = `${key} as key, ${sameField} as same, substring(${key} from $1::text) as plain`
  await sql.unsafe("drop table if exists other_ids")
  await sql.unsafe(
    "create temporary table other_ids (key text, same text, plain text, source text) on commit drop",
  )
  await sql.unsafe(
    `insert into other_ids
     select ${columns}, null from ${staged} where starts_with(${key}, $2::text)
     union all select ${columns}, source from ${table}
     where source = any($3::text[]) and starts_with(${key}, $2::text)`,
    [plainId, idPrefix, arrayLiteral([...ownAndLowerSources(source), ...higherSources(source)])],
  )
  await sql.unsafe("analyze other_ids")
}

/** The condition that the record `r` is the record `o`, which has another id and stays. */
const givesWay = "r.plain = o.plain and r.key <> o.key and (r.key = r.plain or r.same = o.same)"
