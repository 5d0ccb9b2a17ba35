/**
 * Gives records of one reference (`sharesReferences`) ids of their own: the id of the reference
 * with the record's distinction, where the file has several. A record that its source has stored
 * keeps its id, also when the others of its reference come or go.
 */
import { sharedReferences } from "../sources/nsw-references.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import { type Described, numberedIds, type StoredRecord } from "./numbered-ids.ts"
import { repeatedKeys, type Staging } from "./staging.ts"

const { idPrefix, plainId, sameField, tellingFields } = sharedReferences
const plain = new RegExp(plainId)

/**
 * What the ids of all records of one reference have in common: they are without distinction and
 * number.
 */
export function referenceOf(id: string): string {
  const unnumbered = id.replace(/~\d+$/, "")
  return plain.exec(unnumbered)?.[1] ?? unnumbered
}

/** The ids of the stored records that rejected rows may be: all those of their references. */
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
  // Those of other states, whose references are of one record each.
  return [...rowKeys, ...ids]
}

/** Several files of one load are editions of a register, and are not counted as side by side. */
export async function tellApart({ sql, source, staged, table, key }: Staging): Promise<void> {
  const longer = (distinction: string) => `s.${key} || '-' || ${distinction}`
  await sql.unsafe(
    `with per_file as (
       select ${key}, count(distinct distinction) as distinctions, min(distinction) as distinction
       from ${staged} where distinction <> '' group by ${key}, file
     ), shared as (
       select ${key}, max(distinctions) > 1 as by_several, min(distinction) as distinction
       from per_file group by ${key}
     ), stored as (
       select ${unnumbered(key)} as id, ${sameField} as same from ${table}
       where source = $1 and starts_with(${key}, $2)
     )
     update ${staged} s
     set ${key} = ${longer("case when by_several then s.distinction else shared.distinction end")}
     from shared
     where s.${key} = shared.${key} and case when by_several
       then s.distinction <> '' and ((s.${key}, s.${sameField}) in (
         select id, same from stored where same is not null)) is not true
       else ${longer("shared.distinction")} in (select id from stored) end`,
    [source, idPrefix],
  )
}

/**
 * Numbers the different records that have one id even so (`numbered-ids.ts`), and finds those that
 * have been numbered before, also where they are alone by now.
 */
export async function numberApart(staging: Staging): Promise<void> {
  const { sql, source, staged, table, key, columns } = staging
  const others = otherFields(staging)
  const values = described(staging)
  const isNumbered = `starts_with(${key}, $1) and ${key} ~ '~[0-9]+$'`
  // In the order of later fields first, as areas and dates change less often than holders and status.
  const rows = await sql.unsafe<(Described & { id: string; places: string[] })[]>(
    `select ${key} as id, array_to_json(array_agg(ctid::text)) as places, ${values}
     from ${staged}
     where distinction is not null
       and ${key} in (select ${key} from ${staged} group by ${key} having min(file) = max(file))
       and (${key} in (${repeatedKeys(staging)})
         or ${key} in (select ${unnumbered(key)} from ${table} where ${isNumbered}))
     group by ${key}, ${[...tellingFields, ...others]}
     order by ${key}, ${columns.filter((column) => tellingFields.includes(column) || others.includes(column)).toReversed()}`,
    [idPrefix],
  )
  if (rows.length === 0) return
  const references = Map.groupBy(rows, ({ id }) => id)
  const stored = await sql.unsafe<(StoredRecord & { reference: string })[]>(
    `select ${key} as id, ${unnumbered(key)} as reference, source = $3 as "isOwn", ${values} from ${table}
     where ${key} = any($2::text[]) or ${isNumbered} and ${unnumbered(key)} = any($2::text[])
     order by length(${key}), ${key}`,
    [idPrefix, arrayLiteral([...references.keys()]), source],
  )
  const storedOf = Map.groupBy(stored, ({ reference }) => reference)
  const ids = [...references].flatMap(([id, rows]) => [
    ...numberedIds(id, rows, storedOf.get(id) ?? []),
  ])
  const places = ids.flatMap(([row, id]) => row.places.map((place) => ({ place, id })))
  await sql.unsafe(
    `update ${staged} s set ${key} = numbered.id
     from unnest($1::text[], $2::text[]) as numbered (place, id)
     where s.ctid = numbered.place::tid and s.${key} <> numbered.id`,
    [arrayLiteral(places.map(({ place }) => place)), arrayLiteral(places.map(({ id }) => id))],
  )
}

/** The values that rows are matched with stored records by (`Described`), as columns of a query. */
export function described(staging: Staging): string {
  const telling = tellingFields.map((field) => `nullif(${field}::text, '{}')`)
  const others = otherFields(staging).map((field) => `${field}::text`)
  return `json_build_array(${telling}) as telling, json_build_array(${others}) as others`
}

const otherFields = ({ resource, key, columns }: Staging): string[] =>
  columns.filter(
    (column) => column !== key && column in resource.fields && !tellingFields.includes(column),
  )

/** The id of the reference of a record that has been numbered. */
const unnumbered = (key: string): string => `regexp_replace(${key}, '~[0-9]+$', '')`
