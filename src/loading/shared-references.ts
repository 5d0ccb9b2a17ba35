/**
 * Assigns ids to records of one reference (`sharesReferences`): the id of the reference with the record's
 * distinction, where the file has several. A stored record keeps its id when others of its reference appear
 * or end, and in files of another layout, whose references have another distinction or none: today's
 * register has `NSW-CML6-1992` where the older export has `NSW-CML6`.
 */
import { precedenceOver } from "../sources/catalogue.ts"
import { sharedReferences } from "../sources/nsw-references.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import { type Described, idsOfRows, type StoredRecord, unnumbered } from "./reference-ids.ts"
import type { Staging } from "./staging.ts"

const { idPrefix, plainId, sameField, tellingFields } = sharedReferences
const plain = new RegExp(plainId)

/** The common part of the ids of one reference: they are without distinction and number. */
export function referenceOf(id: string): string {
  const whole = unnumbered(id)
  return plain.exec(whole)?.[1] ?? whole
}

/** The ids of stored records that rejected rows may be: all those of their references. */
export async function recordsOfReferences(
  { sql, source, table, key }: Staging,
  rowKeys: readonly string[],
): Promise<string[]> {
  if (rowKeys.length === 0) return []
  const references = new Set(rowKeys.map(referenceOf))
  const stored = await sql.unsafe<{ id: string }[]>(
    `select ${key} as id from ${table} where source = $1 and starts_with(${key}, $2)`,
    [source, idPrefix],
  )
  const ids = stored.map(({ id }) => id).filter((id) => references.has(referenceOf(id)))
  // References of other states have one record each.
  return [...rowKeys, ...ids]
}

/** Adds their distinctions where one file has several. Files of one load are editions of a register. */
export const addDistinctions = ({ sql, staged, key }: Staging) =>
  sql.unsafe(
    `update ${staged} s set ${key} = s.${key} || '-' || s.distinction
     where s.distinction <> '' and s.${key} in (
       select ${key} from ${staged} where distinction <> '' group by ${key}, file
       having count(distinct distinction) > 1)`,
  )

interface Rows extends Described {
  places: string[]
  first: number
  last: number
}

/** Call it once rows of one record are joined. */
export async function assignIds(staging: Staging): Promise<void> {
  const { sql, source, resource, staged, table, key, columns } = staging
  const others = columns.filter(
    (column) => column !== key && column in resource.fields && !tellingFields.includes(column),
  )
  const compared = columns.filter((each) => tellingFields.includes(each) || others.includes(each))
  const telling = tellingFields.map((field) => `nullif(${field}::text, '{}')`)
  const described = `${key} as id, ${sameField}::text as same, json_build_array(${telling}) as telling,
    json_build_array(${others.map((field) => `${field}::text`)}) as others`
  // In the order of later fields first, as areas and dates change less often than holders and status.
  const rows = await sql.unsafe<Rows[]>(
    `select ${described}, array_to_json(array_agg(ctid::text)) as places,
       min(file) as first, max(file) as last
     from ${staged} where starts_with(${key}, $1)
     group by ${key}, ${compared} order by ${key}, ${compared.toReversed()}`,
    [idPrefix],
  )
  if (rows.length === 0) return
  const stored = await sql.unsafe<StoredRecord[]>(
    `select ${described}, source = $2 as "isOwn", source = any($3::text[]) as "isHigher"
     from ${table} where starts_with(${key}, $1) order by length(${key}), ${key}`,
    [idPrefix, source, arrayLiteral(precedenceOver(source)?.sources ?? [])],
  )
  const storedOf = Map.groupBy(stored, ({ id }) => referenceOf(id))
  const editions = [...Map.groupBy(rows, ({ id }) => id).values()].flatMap(asOneOfSeveralFiles)
  const ids = [...Map.groupBy(editions, ({ id }) => referenceOf(id))].flatMap(
    ([reference, ofOne]) => [...idsOfRows(ofOne, storedOf.get(reference) ?? [])],
  )
  const changed = ids
    .filter(([row, id]) => id !== row.id)
    .flatMap(([row, id]) => row.places.map((place) => ({ place, id })))
  await sql.unsafe(
    `update ${staged} s set ${key} = taken.id
     from unnest($1::text[], $2::text[]) as taken (place, id) where s.ctid = taken.place::tid`,
    [arrayLiteral(changed.map(({ place }) => place)), arrayLiteral(changed.map(({ id }) => id))],
  )
}

/** Rows of one id in several files count as one: a later check rejects those that differ. */
function asOneOfSeveralFiles(rows: readonly Rows[]): readonly Rows[] {
  const files = new Set(rows.flatMap(({ first, last }) => [first, last]))
  const [row] = rows
  return row && files.size > 1 ? [{ ...row, places: rows.flatMap(({ places }) => places) }] : rows
}
