/**
 * A resource whose records say what changed since an earlier release: `added`, or the fields that differ. The
 * relation of such a list has the column `changes`.
 */
import { Type } from "@sinclair/typebox"
import { type SQL, sql } from "drizzle-orm"
import { type Field, type Filter, field, type Readable } from "./resource.ts"
import { oneOf } from "./values.ts"

const changes = sql`changes`

/** The fields that can differ between two versions of a record, other than the release that made each. */
const comparedFields = ({ fields, key, since }: Readable): [name: string, field: Field][] =>
  Object.entries(fields).filter(([name, { column }]) => name !== key && column !== since)

/** The kinds of change, as the parameter `changed` names them. */
export const kindsOfChange = (resource: Readable): string[] => [
  "added",
  ...comparedFields(resource).map(([name]) => name),
]

/** The name of a field if its column differs between two relations, otherwise null. */
export function nameIfDifferent(name: string, column: string, earlier: SQL, later: SQL): SQL {
  const of = (relation: SQL) => sql`${relation}.${sql.identifier(column)}`
  return sql`case when ${of(earlier)} is distinct from ${of(later)} then ${sql.raw(`'${name}'`)} end`
}

/** @param was the earlier version, as a relation; its column `was_listed` is null if there is none */
export const changesBetween = (resource: Readable, was: SQL, is: SQL): SQL => {
  const names = comparedFields(resource).map(([name, { column }]) =>
    nameIfDifferent(name, column.name, was, is),
  )
  return sql`array_remove(array[case when ${was}.was_listed then null else 'added' end]
    || case when ${was}.was_listed is not null then array[${sql.join(names, sql`, `)}] end, null)`
}

/** Declares the same resource with the field `changed` and the filter of this name. */
export const explained = (resource: Readable): Readable => ({
  ...resource,
  fields: { ...resource.fields, changed: changedField(resource) },
  filters: { ...resource.filters, changed: changedFilter },
})

function changedField(resource: Readable): Field {
  const schema = Type.Array(oneOf(kindsOfChange(resource)), {
    description:
      "The fields that differ from `updated_since`, or `added` to the list since then; only if `fields` names it",
    examples: [["added"]],
  })
  const select = sql`case when 'added' = any(${changes}) then 'added' else array_to_string(${changes}, '; ') end`
  return field(resource.since, schema, { nullable: false, shown: "asked", select })
}

/**
 * A record matches if it changed in one of the ways. With COALESCE the planner expects half of the changed
 * rows to match. Otherwise it expects a hundredth, and compares all rows for each part of a list.
 */
const changedFilter: Filter = {
  schema: Type.Array(Type.String()),
  where: (kinds) => sql`coalesce(${changes} && string_to_array(${kinds}, ','), false)`,
  canonical: (kinds) => (Array.isArray(kinds) ? kinds.toSorted() : kinds),
  bind: String,
  values: { keys: changes, spellings: changes },
}
