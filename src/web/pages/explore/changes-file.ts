/** The changes of a list as CSV, with a row for each. */
import { type DelimitedColumn, delimitedWriter } from "../../../api/http/delimited.ts"
import { contentType } from "../../../api/http/formats.ts"
import type { ResourceRecord } from "../../../data/resources/resource.ts"
import { changesAsked, namesIn, requestedChanges } from "./changes-asked.ts"
import { kindLabels } from "./kinds-of-change.ts"
import { textOf } from "./lists/cells.ts"
import type { Visit } from "./visit.ts"

const columns = ["record", "field", "before", "after", "kind", "release"].map(
  (name): DelimitedColumn => ({ name, type: name === "release" ? "integer" : "text" }),
)

/** More than a page shows: finding what changed is most of the work for each part. */
const recordsPerPart = 2_000

/** @throws as the page does */
export async function changesFile(visit: Visit, name: string): Promise<Response> {
  const requested = requestedChanges(visit, name)
  const { view } = requested
  const { values, since, chosen, fields } = await changesAsked(visit, requested)
  const { key, fields: known } = view.endpoint.resource
  const labelOf = kindLabels(view)
  const rowsOf = (of: ResourceRecord, changed: string[], earlier?: ResourceRecord | null) =>
    changed
      .filter((change) => !chosen || chosen.includes(change))
      .map((change) => ({
        record: of[key],
        field: change in known ? change : null,
        before: earlier?.[change],
        after: of[change],
        kind: labelOf(change).toLowerCase(),
        release: of.since_release,
      }))
  const readPart = async (page: number) => {
    const part = { ...values, page, per_page: recordsPerPart }
    const { from, changed, removed } = await visit.changes(view, part, since, fields)
    const earlier = await visit.versions(view, changed.records.map(textOf(key)), from)
    const left = removed.records.map(({ [key]: id = null }) => ({ [key]: id }))
    const rows = [
      ...changed.records.flatMap((record, index) =>
        rowsOf(record, namesIn(record), earlier[index]),
      ),
      ...left.flatMap((record) => rowsOf(record, ["removed"])),
    ]
    return { rows, pages: Math.max(changed.meta.total_pages, removed.meta.total_pages) }
  }

  const writer = delimitedWriter("csv", columns, { formulaGuard: true })
  const first = await readPart(1)
  async function* parts() {
    yield `\uFEFF${writer.header}${writer.rows(first.rows)}`
    for (let page = 2; page <= first.pages; page++) yield writer.rows((await readPart(page)).rows)
  }
  return new Response(parts(), {
    headers: {
      "Content-Type": contentType("csv"),
      "Content-Disposition": `attachment; filename="changes-of-${name}.csv"`,
      "Cache-Control": "private, no-store",
      Vary: "Cookie",
    },
  })
}
