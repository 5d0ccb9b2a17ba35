/** The granted tenements of a company that expire next. */
import { encodeQuery, type Pair } from "../../../http/query-string.ts"
import { table } from "../../kit/components.ts"
import { number } from "../../kit/format.ts"
import { type Html, html } from "../../kit/html.ts"
import { type Changes, pathWith } from "../lists/list-view.ts"
import { columnsOf } from "../lists/results.ts"
import { companyTenementsView, expiringSoon, nextToExpire } from "../lists/tenement-views.ts"
import type { Visit } from "../visit.ts"
import { type FoundRecord, firstRows } from "./record-page.ts"

const rows = 5
const shown = ["Tenement", "State", "Type", "Expires"]

export async function nextExpiries(visit: Visit, found: FoundRecord): Promise<Html> {
  const { key, links, day, release } = found
  const { path, fields } = companyTenementsView
  const next = pairs(nextToExpire(day))
  const query = `${encodeQuery(next)}&${firstRows(release, rows)}`
  const { records, meta } = await visit.page(companyTenementsView, key, query)
  const linkTo = (query: readonly Pair[]) => links(pathWith(path, key), query)
  return html`<section class="stack"><h2>Next expiries</h2>
${table({
  caption: "Next expiries",
  columns: columnsOf(
    fields.filter(({ head }) => shown.includes(head)),
    links,
    day,
  ),
  rows: records,
  empty: "No granted tenement has a known expiry date to come.",
})}
${meta.total > 0 && html`<p><a href="${linkTo(pairs(expiringSoon.parameters(day)))}">${expiringSoon.title}</a> · <a href="${linkTo(next)}">All ${number(meta.total)} by expiry</a></p>`}</section>`
}

const pairs = (changes: Changes): Pair[] =>
  Object.entries(changes).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
