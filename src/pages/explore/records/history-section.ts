/** The versions of a record, on its page. */
import type { ListEndpoint } from "../../../answers/list-endpoint.ts"
import type { ResourceRecord } from "../../../resources/resource.ts"
import { splitValues } from "../../../text/fold.ts"
import { table } from "../../kit/components.ts"
import { number, orDash } from "../../kit/format.ts"
import { type Content, type Html, html } from "../../kit/html.ts"
import type { Explorer, Visit } from "../explorer.ts"
import { integer, listed, moment, text } from "../lists/cells.ts"
import type { ShownRelease } from "../reading/ask.ts"

/** The rest is in the API. */
const shownVersions = 10

export interface HistoryOf {
  endpoint: ListEndpoint
  key: string
  /** Of the record in the API. */
  path: string
  release: ShownRelease
}

/** Newest first, at the release that the page shows. */
export async function historySection(
  explorer: Explorer,
  visit: Visit,
  { endpoint, key, path: ofRecord, release }: HistoryOf,
): Promise<Html> {
  const path = `${ofRecord}/history`
  const query = `per_page=${shownVersions}&as_of=${release.id}`
  const { records, meta } = await explorer.ask.page(
    visit,
    { endpoint, parent: key },
    { path, query },
  )
  return html`<section class="stack whole"><h2 id="history">History</h2>
${table<ResourceRecord>({
  caption: "History",
  rows: records,
  empty: "No version is known.",
  columns: [
    { head: "Since", cell: moment("since"), fixed: true },
    { head: "Release", cell: integer("since_release"), number: true },
    { head: "Until", cell: until, fixed: true },
    { head: "Source", cell: text("source") },
    { head: "Files", cell: listed("files"), wide: true },
    { head: "Changed", cell: changed, wide: true },
  ],
})}
<p class="muted small">${meta.total > records.length && `The newest ${number(records.length)} of ${number(meta.total)} versions. `}With its fields as they stood, each version is at <code>${path}</code>.</p></section>`
}

const until = (version: ResourceRecord): Content =>
  version.until_release === null ? "current" : moment("until")(version)

/** Of the oldest version that is kept nothing is known; where no field changed, the links did. */
function changed({ changed: fields }: ResourceRecord): Content {
  if (typeof fields !== "string") return orDash(null)
  const names = splitValues(fields)
  return names.length === 0
    ? "its links"
    : names.map((name) => html`<div><code>${name}</code></div>`)
}
