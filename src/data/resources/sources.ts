import { type TSchema, Type } from "@sinclair/typebox"
import { loadOutcomes, loadedSources as table } from "../db/source-tables.ts"
import { field, loadedNames, type Readable } from "./resource.ts"
import { countSchema, fieldsOf, instantOf, oneOf, textSchema } from "./values.ts"

const instant = (description: string, example: string) =>
  instantOf(`${description}, in UTC`, example)

/** A figure that is computed when it is read. */
const figure = (schema: TSchema, nullable = false) => field(table.counts, schema, { nullable })

/**
 * The sources of the data, with their present state. Every load changes it, also one that publishes nothing,
 * so it belongs to no release. Only `data/reader/sources.ts` reads it.
 */
export const sources: Readable = {
  name: "sources",
  singular: "source",
  description: "Where the data comes from, and how fresh it is.",
  table,
  history: null,
  since: table.last_release,
  key: "source",
  fields: {
    source: field(table.name, textSchema("Name, as in releases", "wa")),
    ...fieldsOf(table, {
      resource: oneOf(loadedNames, {
        description: "The list that its records belong to",
        examples: ["tenements"],
      }),
      licence: textSchema("Licence of its publisher", "CC BY 4.0"),
      attribution: textSchema("The attribution that the licence requires"),
      crs: textSchema("Reference systems of the coordinates of its shapes", "EPSG:7844"),
      address: Type.String({
        format: "uri",
        description:
          "The URL that the operator gives or, without one, the server of its fetched files",
        examples: ["https://example.com/files/CurrentTenements.csv"],
      }),
      last_fetched_at: instant(
        "When its files were last fetched, changed or not",
        "2026-02-16T02:00:00Z",
      ),
      last_loaded_at: instant(
        "When its last successful load ended, with changes or without",
        "2026-02-16T02:00:00Z",
      ),
      last_outcome: oneOf(loadOutcomes, {
        description:
          "Outcome of its last load or fetch: a release, no difference, a refused load, or a failed download or load. The last two leave the data as it was",
        examples: ["unchanged"],
      }),
      last_observed_at: instant(
        "The time of its newest loaded files; null if unknown",
        "2026-02-15T00:00:00Z",
      ),
      last_changed_at: instant(
        "When its records last changed in a release",
        "2026-01-30T18:00:00Z",
      ),
      last_release: Type.Integer({ minimum: 1, description: "That release", examples: [1] }),
    }),
    records: figure(
      countSchema("Number of its records in the newest release, inactive ones too", 1),
    ),
    missing: figure(
      countSchema(
        "Number of its records that its last files lack; they stay until further loads lack them too",
        0,
      ),
    ),
    rejected: figure(countSchema("Number of rejected rows of its last files", 1), true),
    unknown_values: figure(
      countSchema("Number of unknown values in its last files, which are left empty", 3),
      true,
    ),
    linked_percentage: figure(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description: "Share of its tenements that are linked to a company, in percent",
        examples: [100],
      }),
      true,
    ),
    linked_percentage_of_companies: figure(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description:
          "The same share of its tenements with a company among their holders, listed or not, in percent",
        examples: [100],
      }),
      true,
    ),
  },
  filters: {},
  sorts: {},
  defaultOrder: [{ column: table.number, direction: "asc" }],
}
