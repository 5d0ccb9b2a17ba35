/**
 * The versions of a resource's records: each has the record from the release that made it to the release
 * that superseded or removed it.
 */
import { type TSchema, Type } from "@sinclair/typebox"
import { getTableColumns, getTableName, type SQL, sql } from "drizzle-orm"
import { nameIfDifferent } from "./explained.ts"
import { type Field, field, fieldNames, type Readable, type Resource } from "./resource.ts"
import { instantOf, instantText, textSchema } from "./values.ts"

/** The bound release of the response. */
const release = sql.placeholder("release")

/** Declares the versions of one record, newest first, as a resource. */
export function versionsOf(resource: Resource): Readable {
  const { table, since, history, singular, fields } = resource
  const own = fieldNames(resource, "always", "in history")
  return {
    name: `${singular}-versions`,
    singular: `${singular} version`,
    description: `The versions of a ${singular}, each with the releases that made and ended it.`,
    table,
    history: null,
    pastVersions: history,
    since,
    key: "since_release",
    fields: {
      ...periodFields(resource, changedFields(resource, own)),
      ...Object.fromEntries(
        Object.entries(fields)
          .filter(([name]) => own.includes(name))
          .map(([name, field]) => [name, { ...field, shown: "always" }]),
      ),
    },
    filters: {},
    sorts: {},
    defaultOrder: [{ column: since, direction: "desc" }],
  }
}

function periodFields({ since, table }: Resource, changed: SQL): Record<string, Field> {
  const until = sql.identifier("until_release")
  const untilShown = sql`case when ${until} <= ${release} then ${until} end`
  const made = sql`${since}`
  const number = (description: string) => Type.Integer({ minimum: 1, description })
  const computed = (schema: TSchema, select: SQL) =>
    field(since, schema, { select, nullable: true })
  return {
    since_release: field(since, { ...number("The release that made this version"), examples: [1] }),
    since: computed(
      instantOf("When that was published, in UTC", "2026-01-30T18:00:00Z"),
      publishedAt(made),
    ),
    until_release: computed(
      number("The release that superseded or removed it; null for the current version"),
      untilShown,
    ),
    until: computed(instantOf("When that was published, in UTC"), publishedAt(untilShown)),
    source: computed(
      textSchema("The source whose load made this version", "sample"),
      ofRelease(made, sql`r.source`),
    ),
    files: computed(
      textSchema(
        "The file that it came from; all files of that load, listed as A; B, if the version came from no single file",
        "sample.ndjson",
      ),
      ofRelease(made, fileNames(sql`${sql.identifier(getTableName(table))}.file`)),
    ),
    observed_at: computed(
      instantOf("The time of those files, in UTC; null if unknown", "2026-01-30T00:00:00Z"),
      ofRelease(made, observed),
    ),
    changed: computed(
      textSchema(
        "The fields that differ from the previous version, listed as A; B; empty if only its links or its group changed, null for the oldest available version",
      ),
      changed,
    ),
  }
}

const ofRelease = (id: SQL, value: SQL): SQL =>
  sql`(select ${value} from releases r where r.id = ${id})`

const publishedAt = (id: SQL): SQL => ofRelease(id, instantText(sql`r.published_at`))

const fileNames = (place: SQL) =>
  sql`coalesce(r.manifest -> 'files' -> ${place} ->> 'name', (
    select string_agg(file.value ->> 'name', '; ' order by file.ordinality)
    from jsonb_path_query(r.manifest, '$.files[*]') with ordinality file (value, ordinality)))`

const observed = sql`case when (r.manifest -> 'observed_is_known')::boolean then r.manifest ->> 'observed' end`

/** Compares each version with the one before, which is always among the past versions. */
function changedFields({ table, history, since, key }: Resource, fields: readonly string[]): SQL {
  const own = sql.identifier(getTableName(table))
  const sinceName = sql.identifier(since.name)
  const keyName = sql.identifier(key)
  const names = Object.keys(getTableColumns(history))
  const differing = [...fields, "geometry", "source"]
    .filter((name) => name !== key && names.includes(name))
    .map((name) => nameIfDifferent(name, name, sql`earlier`, sql`${own}`))
  return sql`(select concat_ws('; ', ${sql.join(differing, sql`, `)}) from ${history} as earlier
    where earlier.${keyName} = ${own}.${keyName} and earlier.${sinceName} < ${own}.${sinceName}
    order by earlier.${sinceName} desc limit 1)`
}
