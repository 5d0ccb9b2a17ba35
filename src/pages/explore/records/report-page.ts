import { reports } from "../../../resources/reports.ts"
import { reportHistory } from "../../../routes/reports.ts"
import { splitValues } from "../../../text/fold.ts"
import { orDash } from "../../kit/format.ts"
import { html } from "../../kit/html.ts"
import type { PageResult } from "../../kit/page-context.ts"
import type { Explorer, Visit } from "../explorer.ts"
import { documentLink, moment, shown } from "../lists/cells.ts"
import { reportsView } from "../lists/views.ts"
import { fieldText, findRecord, recordPage } from "./record-page.ts"

export async function reportPage(
  explorer: Explorer,
  visit: Visit,
  hash: string,
): Promise<PageResult> {
  const found = await findRecord(explorer, visit, reportsView, hash)
  const { record, links } = found
  const code = fieldText(record, "asx_code")
  const types = splitValues(fieldText(record, "type"))
  return recordPage(explorer, visit, {
    resource: reports,
    key: hash,
    found,
    history: reportHistory,
    title: fieldText(record, "title"),
    lead: `An announcement of ${code}`,
    listPath: "/reports",
    facts: [
      ["Title", shown(record.title)],
      [
        "Company",
        html`<a class="mono" href="${links.to(`/companies/${encodeURIComponent(code)}`)}">${code}</a>`,
      ],
      [
        "Type",
        types.length === 0
          ? orDash(shown(record.type))
          : types.map(
              (type) =>
                html`<div><a href="${links.to("/reports", [["type", type]])}">${type}</a></div>`,
            ),
      ],
      ["Published", moment("published_at")(record)],
      ["Hash", html`<span class="mono">${shown(record.hash)}</span>`],
      ["Document", documentLink(record.url, fieldText(record, "url"))],
    ],
  })
}
