/** The companies that a tenement is linked to, with the basis of each link. */
import type { TenementLink } from "../../../../data/reader/links.ts"
import { type TableColumn, tableSection } from "../../kit/components.ts"
import { number, orDash } from "../../kit/format.ts"
import { html } from "../../kit/html.ts"
import { documentLink, toCompany } from "../lists/cells.ts"
import { tenementsView } from "../lists/tenement-views.ts"
import type { Visit } from "../visit.ts"
import type { FoundRecord } from "./record-page.ts"
import { smallMap } from "./small-map.ts"

const bases: Readonly<Record<string, string>> = {
  name: "a holder has its name, present or former",
  subsidiary: "a holder is its subsidiary",
  declared: "the company declares the tenement as its own",
  confirmed: "an operator confirmed that a holder belongs to it",
}

/** The shape, if it is known, and the links; none for past releases. */
export async function tenementParts(visit: Visit, found: FoundRecord) {
  const { key, links, isPast, release } = found
  const columns: readonly TableColumn<TenementLink>[] = [
    { head: "Company", cell: ({ code, company }) => toCompany(code, links, company), wide: true },
    {
      head: "Basis",
      wide: true,
      cell: ({ basis }) => html`${basis} <div class="muted small">${bases[basis] ?? ""}</div>`,
    },
    {
      head: "Interest",
      number: true,
      cell: ({ interest }) => orDash(interest === null ? null : `${number(interest)}%`),
    },
    { head: "As at", cell: ({ asAt }) => orDash(asAt), fixed: true },
    { head: "Report", cell: ({ url }) => documentLink("url", "Report")({ url }, links, "") },
  ]
  const [linked, { record }] = await Promise.all([
    isPast ? [] : visit.tenementLinks(key),
    visit.record(tenementsView, key, String(release.id), ["geometry"]),
  ])
  return {
    main: html`${record.geometry !== null && smallMap(String(record.geometry))}${tableSection("Companies", columns, linked)}`,
  }
}
