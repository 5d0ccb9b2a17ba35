import { Type } from "@sinclair/typebox"
import { sql } from "drizzle-orm"
import { releasesTable as table } from "../db/schema.ts"
import { field, type Readable, resourceNames } from "./resource.ts"
import { countSchema, fieldsOf, instantOf, textSchema } from "./values.ts"

/** The sources of the releases that only an operator's decision made: of links to holders, or between companies. */
export const decisionSources = { links: "confirmed", successors: "successors" } as const

/** A number of records in the manifest of the release, 0 where it has none. */
const manifestCount = (path: string) =>
  sql<number>`coalesce((${table.manifest} #>> ${sql.raw(`'{${path}}'`)})::integer, 0)`

/** A deactivated company counts as changed, and so does a record whose links changed. */
const countSelects = (resource: string) => ({
  added: manifestCount(`resources,${resource},added`),
  changed: sql`${manifestCount(`resources,${resource},changed`)}
    + ${manifestCount(`resources,${resource},deactivated`)} + ${manifestCount(`links,changed,${resource}`)}`,
  removed: manifestCount(`resources,${resource},removed`),
})

/** The numbers of records of each resource that a release added, changed and removed. */
const countFields = Object.fromEntries(
  resourceNames.flatMap((resource) =>
    Object.entries(countSelects(resource)).map(([kind, select]) => {
      const schema = countSchema(`Number of ${resource} that it ${kind}`, kind === "added" ? 1 : 0)
      return [`${resource}_${kind}`, field(table.manifest, schema, { select })]
    }),
  ),
)

/** The releases in which the data was published, newest first. */
export const releases: Readable = {
  name: "releases",
  singular: "release",
  description: "The releases in which the data was published.",
  table,
  history: null,
  since: table.id,
  key: "id",
  fields: {
    ...fieldsOf(table, {
      id: Type.Integer({ minimum: 1, description: "Number of the release", examples: [1] }),
      published_at: instantOf(
        "When it was published, in UTC, to the second",
        "2026-01-30T18:00:00Z",
      ),
      source: textSchema("The source that was loaded", "sample"),
    }),
    ...countFields,
  },
  filters: {},
  sorts: {},
  defaultOrder: [{ column: table.id, direction: "desc" }],
}
