/** The versions of a record, and the changes of each. */
import type { ResourceRecord, Value } from "../../../../data/resources/resource.ts"
import { splitValues } from "../../../../system/text/fold.ts"
import { type TableColumn, table } from "../../kit/components.ts"
import { number, orDash } from "../../kit/format.ts"
import { type Content, type Html, html } from "../../kit/html.ts"
import { day, moment, textCell, textOf } from "../lists/cells.ts"
import type { ListView } from "../lists/list-view.ts"
import type { ShownPage } from "../visit.ts"

const versionsShown = 10
/** The versions that a page reads: the last one shows its changes beside the one before it. */
export const versionsRead = versionsShown + 1

export function history(view: ListView, { records, meta }: ShownPage, path: string): Html {
  const rows = records.slice(0, versionsShown)
  const columns: readonly TableColumn<ResourceRecord>[] = [
    { head: "Release", cell: textOf("since_release"), fixed: true },
    { head: "Data as of", cell: day("observed_at"), fixed: true },
    { head: "Published", cell: moment("since"), fixed: true },
    { head: "Until", cell: until, fixed: true },
    {
      head: "Changed",
      cell: (version) => changes(version, records[records.indexOf(version) + 1], labelsOf(view)),
      wide: true,
    },
    { head: "Source", cell: sourceOf, wide: true },
  ]
  return html`<section class="stack"><h2 id="history">History</h2>
${table({ caption: "History", columns, rows, empty: "No version is known." })}
<p class="muted small">
${meta.total > rows.length && `The newest ${number(rows.length)} of ${number(meta.total)} versions. `}Full versions:
<code>${path}</code></p></section>`
}

const until = (version: ResourceRecord): Content =>
  version.until_release === null ? "current" : moment("until")(version)

/** The oldest stored version has no predecessor; if no field changed, the links did. */
function changes(
  version: ResourceRecord,
  earlier: ResourceRecord | undefined,
  labels: Labels,
): Content {
  if (typeof version.changed !== "string" || earlier === undefined) return orDash(null)
  return differences(splitValues(version.changed), labels, earlier, version)
}

type Labels = ReturnType<typeof labelsOf>

/** The labels of the fields of a view, by their names in the API. */
export const labelsOf = ({ fields }: ListView) =>
  new Map(fields.map(({ field, head }) => [field, head]))

/** The fields of those names before and after a change; of a shape, that it changed. */
export const differences = (
  names: readonly string[],
  labels: Labels,
  earlier: ResourceRecord,
  later: ResourceRecord,
): Content =>
  names.length === 0
    ? "Linked companies"
    : names.map((name) =>
        // The records have no value to show.
        name === "geometry"
          ? html`<div>Shape</div>`
          : html`<div>${labels.get(name) ?? name.replaceAll("_", " ")}: <span class="muted">${written(earlier[name])}</span> → ${written(later[name])}</div>`,
      )

const written = (value: Value | undefined): Content => {
  if (typeof value === "boolean") return value ? "active" : "inactive"
  return typeof value === "number"
    ? value.toLocaleString("en-AU", { maximumFractionDigits: 20 })
    : orDash(value?.toString())
}

function sourceOf(version: ResourceRecord): Content {
  const files = splitValues(textOf("files")(version)).map((name) => html`<div>${name}</div>`)
  return html`<div>${textCell("source")(version)}</div>${
    files.length > 1
      ? html`<div><details><summary>${number(files.length)} files</summary> ${files}</details></div>`
      : files
  }`
}
