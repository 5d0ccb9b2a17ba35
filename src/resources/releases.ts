import { Type } from "@sinclair/typebox"
import { sql } from "drizzle-orm"
import { releases as table } from "../db/schema.ts"
import { manifestCount } from "./manifests.ts"
import { type Field, field, type Readable, resourceNames } from "./resource.ts"
import { countOf, publishedAt, textOf } from "./values.ts"

const kinds = ["added", "changed", "removed"] as const

/** What a release did to a resource, from its manifest; a deactivated company counts as changed. */
const countFields = (): Record<string, Field> =>
  Object.fromEntries(
    resourceNames.flatMap((resource) =>
      kinds.map((kind) => [
        `${resource}_${kind}`,
        field(
          table.manifest,
          countOf(`Number of ${resource} that it ${kind}`, kind === "added" ? 1 : 0),
          {
            select: selectCount(resource, kind),
          },
        ),
      ]),
    ),
  )

function selectCount(resource: string, kind: string) {
  const count = (name: string) => manifestCount(table.manifest, resource, name)
  return kind === "changed"
    ? sql<number>`${count("changed")} + ${count("deactivated")}`
    : count(kind)
}

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
    id: field(
      table.id,
      Type.Integer({ minimum: 1, description: "Number of the release", examples: [1] }),
    ),
    published_at: publishedAt(table.published_at, "2026-01-30T18:00:00Z"),
    source: field(table.source, textOf("The source that was loaded", "sample")),
    ...countFields(),
  },
  filters: {},
  sorts: {},
  defaultOrder: [{ column: table.id, direction: "desc" }],
}
