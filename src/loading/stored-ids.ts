/**
 * Finds the stored records of a source's own in files of another layout, whose ids have another
 * distinction of the same reference (`sharesReferences`), or none: today's register has
 * `NSW-CML6-1992` where the older export has `NSW-CML6`. A row that is found so takes the stored id,
 * so that it is compared with the stored record as any other row is.
 */
import { precedenceOver } from "../sources/catalogue.ts"
import { sharedReferences } from "../sources/nsw-references.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import { bestPairs, type Described } from "./numbered-ids.ts"
import { described, referenceOf } from "./shared-references.ts"
import type { Staging } from "./staging.ts"

/** A row, or a stored record that no row has by its id. */
interface Unmatched extends Described {
  id: string
  /** The value that is the same in all files. */
  same: string | null
}

/** Called once each row has an id of its own. */
export async function takeStoredIds(staging: Staging): Promise<void> {
  const { sql, source, staged, table, key } = staging
  const { idPrefix, plainId, sameField } = sharedReferences
  const columns = `${key} as id, ${sameField}::text as same, ${described(staging)}`
  // A plain id alone does not say which record of its reference the row is.
  const isOther = `t.${sameField} <> s.${sameField} and substring(s.${key} from $2::text) = s.${key}`
  const isFound = `t.${key} = s.${key} and (${isOther}) is not true`
  const higher = precedenceOver(source)?.sources ?? []
  const rows = await sql.unsafe<Unmatched[]>(
    `select ${columns} from ${staged} s where starts_with(${key}, $1) and not exists (
       select from ${table} t where ${isFound} and t.source = any($3::text[]))
     order by ${key}`,
    [idPrefix, plainId, arrayLiteral([source, ...higher])],
  )
  if (rows.length === 0) return
  const stored = await sql.unsafe<Unmatched[]>(
    `select ${columns} from ${table} t where source = $3 and starts_with(${key}, $1)
       and not exists (select from ${staged} s where ${isFound})
     order by ${key}`,
    [idPrefix, plainId, source],
  )
  const ids = storedIds(rows, stored)
  await sql.unsafe(
    `update ${staged} s set ${key} = found.id
     from unnest($1::text[], $2::text[]) as found (row_id, id) where s.${key} = found.row_id`,
    [arrayLiteral([...ids.keys()]), arrayLiteral([...ids.values()])],
  )
}

/** By the id of a row, the one that it takes instead. */
function storedIds(rows: readonly Unmatched[], stored: readonly Unmatched[]): Map<string, string> {
  const rowsOf = Map.groupBy(rows, ({ id }) => referenceOf(id))
  const storedOf = Map.groupBy(stored, ({ id }) => referenceOf(id))
  const ids = new Map(
    [...storedOf].flatMap(([name, records]) =>
      bestPairs(rowsOf.get(name) ?? [], records, mayBeOne).map(({ row, record }) => [
        row.id,
        record.id,
      ]),
    ),
  )
  const taken = new Set(ids.values())
  for (const { id, same } of rows) {
    // Its own id has turned out to be that of another row.
    if (taken.has(id) && !ids.has(id)) ids.set(id, `${id}-${same}`)
  }
  return ids
}

const mayBeOne = (row: Unmatched, record: Unmatched): boolean =>
  row.same === null || record.same === null || row.same === record.same
