/**
 * Registers that have a row for each holder of a tenement: rows of one tenement that differ in
 * nothing but their holder are given all holders, as `A; B` in the order of the rows, and are then
 * the same record repeated. Rows that differ in more than that are left to be rejected, and so are
 * rows of several files, which are editions of a register and not holders of a tenement.
 */
import type { TransactionSql } from "postgres"
import type { Resource } from "../resources/resource.ts"
import { splitValues } from "../text/fold.ts"
import { arrayLiteral } from "./array-literal.ts"
import { fieldReader } from "./field-values.ts"
import type { Staging } from "./staging.ts"

const field = "holder_name"

/** `repeated` is a query of the keys that several rows have. */
export async function joinHolders(
  sql: TransactionSql,
  staging: Staging,
  repeated: string,
): Promise<void> {
  const { resource, staged, key } = staging
  const holder = resource.fields[field]
  if (!holder) return
  const groups = await sql.unsafe(groupsOf(staging, repeated))
  const read = fieldReader(holder)
  const joint = groups.flatMap(({ key, holders }) => {
    const names = (holders as (string | null)[]).flatMap((name) => splitValues(name ?? ""))
    const joined = read([...new Set(names)].join("; "))
    return typeof joined === "string" ? [{ key, record: { [field]: joined } }] : []
  })
  const [first] = joint
  if (!first) return
  const changed = [field, ...derivedFromHolder(resource)]
  const cellOf = ({ record }: typeof first, name: string) =>
    name === field ? record[field] : resource.derived[name]?.(record)
  const assignments = changed.map((name) => {
    const type = Array.isArray(cellOf(first, name)) ? "text[]" : "text"
    return `${name} = j.${name}::${type}`
  })
  const values = [
    joint.map(({ key }) => key),
    ...changed.map((n) => joint.map((j) => cellOf(j, n))),
  ]
  await sql.unsafe(
    `update ${staged} s set ${assignments}
     from unnest(${values.map((_, index) => `$${index + 1}::text[]`)}) as j (key, ${changed})
     where s.${key} = j.key`,
    values.map(arrayLiteral),
  )
}

function groupsOf({ resource, staged, key, columns }: Staging, repeated: string): string {
  const ofHolder = [field, ...derivedFromHolder(resource)]
  const others = columns.filter((column) => !ofHolder.includes(column))
  return `select ${key} as key, array_to_json(array_agg(${field} order by file, line)) as holders
    from ${staged} where ${key} in (${repeated}) group by ${key}
    having count(distinct coalesce(${field}, '')) > 1 and count(distinct (${others})) = 1
      and count(distinct file) = 1`
}

const derivedFromHolder = ({ derived }: Resource): string[] =>
  Object.keys(derived).filter((name) => name.startsWith("holder_"))
