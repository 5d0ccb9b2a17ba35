/**
 * Joins rows of files that have a row for each value of one field, such as a register's row for each
 * holder of a tenement. Rows of one key that differ only in that field all get all values, as `A; B` in
 * the order of the rows, and so become duplicates. Rows that differ in more are rejected later, and so are
 * rows of several files, which are editions of a register.
 */
import type { Resource } from "../../data/resources/resource.ts"
import { splitValues } from "../../system/text/fold.ts"
import { fieldReader, InvalidValue } from "./field-values.ts"
import { mark, repeatedKeys, type Staging } from "./staging.ts"

/**
 * Joins rows of one key and one value of the field, such as the same title twice, once without its area: rows
 * that do not contradict each other get the values that they lack.
 */
export async function completeRows(staging: Staging, name: string): Promise<void> {
  const { sql, staged, accepted, key } = staging
  const others = otherColumns(staging, name).filter((column) => column !== "geometry")
  await sql.unsafe(
    `update ${staged} s set ${others.map((column) => `${column} = whole.${column}`)}
     from (
       select ${key} as key, ${name} as value, ${others.map((column) => `min(${column}) as ${column}`)}
       from ${accepted} a where ${key} in (${repeatedKeys(staging)}) group by ${key}, ${name}
       having count(distinct (${others})) > 1 and count(distinct file) = 1
         and ${others.map((column) => `count(distinct ${column}) <= 1`).join(" and ")}
     ) whole
     where s.${key} = whole.key and s.${name} is not distinct from whole.value`,
  )
}

/** Rejects the rows whose values together are too long: all of them or none. */
export async function joinRows(staging: Staging, name: string): Promise<void> {
  const { sql, resource, staged, accepted, key } = staging
  const field = resource.fields[name]
  if (!field) throw new Error(`${resource.name} has no field ${name}`)
  const read = fieldReader(field)
  const derived = derivedOf(resource, name)
  const groups = await sql.unsafe(
    `select ${key} as key, array_to_json(array_agg(${name} order by file, line)) as texts
     from ${accepted} a where ${key} in (${repeatedKeys(staging)}) group by ${key}
     having count(distinct coalesce(${name}, '')) > 1 and count(distinct (${otherColumns(staging, name)})) = 1
       and count(distinct file) = 1`,
  )
  const tooLong: { key: string; reason: string }[] = []
  const joined = groups.flatMap((group) => {
    const values = (group.texts as (string | null)[]).flatMap((text) => splitValues(text ?? ""))
    const value = read([...new Set(values)].join("; "))
    if (!(value instanceof InvalidValue)) {
      const ofField = derived.map(([column, { derive }]) => [column, derive(value)])
      return [{ [key]: group.key, [name]: value, ...Object.fromEntries(ofField) }]
    }
    const reason = `${name} of all rows of ${group.key} together ${value.reason}`
    tooLong.push({ key: group.key, reason })
    return []
  })
  const columns = [name, ...derived.map(([column]) => column)]
  await sql.unsafe(
    `update ${staged} s set ${columns.map((column) => `${column} = j.${column}`)}
     from jsonb_populate_recordset(null::${staged}, $1::text::jsonb) j where s.${key} = j.${key}`,
    [JSON.stringify(joined)],
  )
  await mark(
    staging,
    "rejected",
    {
      from: "jsonb_to_recordset($1::text::jsonb) as too_long (key text, reason text)",
      condition: `s.${key} = too_long.key`,
      reason: "too_long.reason",
    },
    [JSON.stringify(tooLong)],
  )
}

/** A joined field has no column that follows from other fields too. */
const derivedOf = ({ derived }: Resource, field: string) =>
  Object.entries(derived).filter(([, { from }]) => from.includes(field))

/** The columns that do not follow from the fields, without the key's. */
export function otherColumns(
  { resource, key, columns }: Staging,
  ...fields: readonly (string | undefined)[]
): string[] {
  const follows = (column: string) =>
    (resource.derived[column]?.from ?? [column]).some((field) => fields.includes(field))
  return columns.filter((column) => column !== key && !follows(column))
}
