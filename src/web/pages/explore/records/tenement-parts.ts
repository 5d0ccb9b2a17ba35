/** The shape of a tenement, and the companies that it is linked to, with the basis of each link. */
import type { TenementLink } from "../../../../data/reader/links.ts"
import { type TableColumn, tableSection } from "../../kit/components.ts"
import { number, orDash } from "../../kit/format.ts"
import { type Html, html } from "../../kit/html.ts"
import { documentLink, toCompany } from "../lists/cells.ts"
import { tenementsView } from "../lists/tenement-views.ts"
import type { Visit } from "../visit.ts"
import type { FoundRecord } from "./record-page.ts"

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

/** Of the drawing, which has two units a pixel. */
const side = 320
const margin = 4
const kmOfDegree = 111.2

/** Without spread arguments, of which an engine takes fewer than a shape may have points. */
const rangeOf = (values: readonly number[]): [least: number, most: number] => [
  values.reduce((one, other) => Math.min(one, other)),
  values.reduce((one, other) => Math.max(one, other)),
]

/** The shape as a drawing, with north at the top. @param geometry a polygon or several, as GeoJSON */
function smallMap(geometry: string): Html {
  const { type, coordinates } = JSON.parse(geometry)
  const rings: readonly (readonly [longitude: number, latitude: number])[][] =
    type === "Polygon" ? coordinates : coordinates.flat()
  const [west, east] = rangeOf(rings.flatMap((ring) => ring.map(([x]) => x)))
  const [south, north] = rangeOf(rings.flatMap((ring) => ring.map(([, y]) => y)))
  const shrink = Math.cos((((south + north) / 2) * Math.PI) / 180)
  const sizes = [(east - west) * shrink, north - south]
  const scale = side / Math.max(...sizes)
  const lines = rings.map((ring) => {
    const steps = ring.map(
      ([x, y]) => `${Math.round((x - west) * shrink * scale)} ${Math.round((north - y) * scale)}`,
    )
    // Vertices that the drawing can't show would make the page large.
    return `M${steps.filter((step, index) => step !== steps[index - 1]).join("L")}Z`
  })
  const [width = 0, height = 0] = sizes.map((size) => Math.ceil(size * scale) + 2 * margin)
  const [across, down] = sizes.map((size) => `${Number((size * kmOfDegree).toPrecision(2))} km`)
  return html`<section class="panel"><h2>Shape</h2>
<svg viewBox="-${margin} -${margin} ${width} ${height}" width="${width / 2}" height="${height / 2}"
fill="none" stroke="currentColor" stroke-width="3" role="img" aria-label="The shape"><path d="${lines.join("")}"/></svg>
<p class="muted">${across} from west to east, ${down} from south to north. North is at the top.</p></section>`
}
