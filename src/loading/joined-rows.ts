/**
 * Files that have a row for each value of one field, such as a register's row for each holder of a
 * tenement: rows of one key that differ in nothing but that field are given all values, as `A; B`
 * in the order of the rows, and are then duplicates of one another. Rows that differ in more are
 * left to be rejected, and so are rows of several files, which are editions of a register.
 */
import type { TransactionSql } from "postgres"
import type { Resource } from "../resources/resource.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import { splitValues } from "../text/fold.ts"
import { fieldReader } from "./field-values.ts"
import type { Staging } from "./staging.ts"

/**
 * Rows of one key and one value of the field, such as the same title twice, once without its area:
 * where none contradicts another, each is given the values that it lacks.
 *
 * @param repeated a query of the keys that several rows have
 */
export async function completeRows(
  sql: TransactionSql,
  { staged, resource, key, columns }: Staging,
  name: string,
  repeated: string,
): Promise<void> {
  const ofField = [name, ...derivedNames(resource, name)]
  const others = columns.filter((column) => column !== key && !ofField.includes(column))
  await sql.unsafe(
    `update ${staged} s set ${others.map((column) => `${column} = whole.${column}`)}
     from (
       select ${key} as key, ${name} as value, ${others.map((column) => `min(${column}) as ${column}`)}
       from ${staged} where ${key} in (${repeated}) group by ${key}, ${name}
       having count(distinct (${others})) > 1 and count(distinct file) = 1
         and ${others.map((column) => `count(distinct ${column}) <= 1`).join(" and ")}
     ) whole
     where s.${key} = whole.key and s.${name} is not distinct from whole.value`,
  )
}

/** @param repeated a query of the keys that several rows have */
export async function joinRows(
  sql: TransactionSql,
  staging: Staging,
  name: string,
  repeated: string,
): Promise<void> {
  const { resource, staged, key } = staging
  const field = resource.fields[name]
  if (!field) throw new Error(`${resource.name} has no field ${name}`)
  const read = fieldReader(field)
  const groups = await sql.unsafe(groupsToJoin(staging, name, repeated))
  const joined = groups.flatMap(({ key, texts }) => {
    const values = (texts as (string | null)[]).flatMap((text) => splitValues(text ?? ""))
    const value = read([...new Set(values)].join("; "))
    return typeof value === "string"
      ? [{ key, cells: [value, ...deriveAll(resource, name, value)] }]
      : []
  })
  const [first] = joined
  if (!first) return
  const columns = [name, ...derivedNames(resource, name)]
  const assignments = columns.map((column, index) => {
    const type = Array.isArray(first.cells[index]) ? "text[]" : "text"
    return `${column} = j.${column}::${type}`
  })
  const values = [
    joined.map(({ key }) => key),
    ...columns.map((_, index) => joined.map(({ cells }) => cells[index])),
  ]
  await sql.unsafe(
    `update ${staged} s set ${assignments}
     from unnest(${values.map((_, index) => `$${index + 1}::text[]`)}) as j (key, ${columns})
     where s.${key} = j.key`,
    values.map(arrayLiteral),
  )
}

function groupsToJoin(
  { resource, staged, key, columns }: Staging,
  name: string,
  repeated: string,
): string {
  const ofField = [name, ...derivedNames(resource, name)]
  const others = columns.filter((column) => !ofField.includes(column))
  return `select ${key} as key, array_to_json(array_agg(${name} order by file, line)) as texts
    from ${staged} where ${key} in (${repeated}) group by ${key}
    having count(distinct coalesce(${name}, '')) > 1 and count(distinct (${others})) = 1
      and count(distinct file) = 1`
}

const derivedOf = ({ derived }: Resource, field: string) =>
  Object.entries(derived).filter(([, { from }]) => from === field)

const derivedNames = (resource: Resource, field: string): string[] =>
  derivedOf(resource, field).map(([name]) => name)

const deriveAll = (resource: Resource, field: string, value: string): unknown[] =>
  derivedOf(resource, field).map(([, { derive }]) => derive(value))
