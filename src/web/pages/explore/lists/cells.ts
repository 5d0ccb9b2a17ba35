import { pathWith } from "../../../../api/responses/endpoint.ts"
import { namedHolders } from "../../../../data/resources/holder-names.ts"
import type { ResourceRecord } from "../../../../data/resources/resource.ts"
import { fold, splitValues } from "../../../../system/text/fold.ts"
import { localTime, sydney } from "../../../../system/text/time.ts"
import { statusBadge, type Tone } from "../../kit/components.ts"
import { dash, dollars, number, orDash, stateViewers, timeElement } from "../../kit/format.ts"
import { type Content, type Html, html } from "../../kit/html.ts"
import type { Cell, RecordLinks, ShownField } from "./list-view.ts"

/** A field's text; empty if it is unknown. */
export const textOf =
  (field: string) =>
  (record: ResourceRecord): string =>
    String(record[field] ?? "")

/** Plain text; a dash if it is unknown. */
export const textCell =
  (field: string) =>
  (record: ResourceRecord): Content =>
    orDash(textOf(field)(record))

/** The text of a field, unless it has another cell. */
export const cellOf = ({ field = "", cell = textCell(field) }: ShownField): Cell => cell

export const identifier =
  (field: string): Cell =>
  (record) =>
    html`<span class="mono">${textCell(field)(record)}</span>`

const numeric =
  (write: (value: number) => Content) =>
  (field: string) =>
  ({ [field]: value }: ResourceRecord): Content =>
    typeof value === "number" ? write(value) : dash

const decimals = (minimumFractionDigits: number, maximumFractionDigits: number) =>
  new Intl.NumberFormat("en-AU", { minimumFractionDigits, maximumFractionDigits })

const exact = decimals(2, 20)
const three = decimals(3, 3)

export const integerCell = numeric(number)

export const shortDollars = numeric(dollars)

/** That of an inactive company is its last one. */
export const marketCap = (company: ResourceRecord): Content =>
  html`${shortDollars("market_cap_aud")(company)}${!company.is_active && company.market_cap_aud !== null && " when last listed"}`

/** Unrounded, with two decimals at least. */
export const exactNumber = numeric((value) => exact.format(value))

/** With three decimals, so that numbers align; `<0.001` for a value that would round to 0. */
const inThree = (value: number) => (value > 0 && value < 0.0005 ? "<0.001" : three.format(value))

export const rounded = numeric(inThree)

/** Rounded, with the whole number on hover. */
export const area = numeric(
  (value) => html`<span title="${exact.format(value)} km²">${inThree(value)}</span>`,
)

const instant =
  (write: (value: string) => Content) =>
  (field: string) =>
  ({ [field]: value }: ResourceRecord): Content =>
    typeof value === "string" ? write(value) : dash

export const moment = instant(timeElement)

/** The same in the time of the exchange. */
export const inSydney = instant(
  (value) =>
    html`<time datetime="${value}" title="${value}">${localTime(value, sydney).slice(0, 16).replace("T", " ")} Sydney</time>`,
)

/** Of a moment: its day, with the whole on hover. */
export const day = instant(
  (value) => html`<time datetime="${value}" title="${value}">${value.slice(0, 10)}</time>`,
)

const notMatched = "Not matched to any holder yet"

/** The number of tenements linked to a company: 0 does not mean that it has none. */
export const linkedTenements = (company: ResourceRecord): Content =>
  company.total_tenements === 0
    ? html`<span class="muted" title="${notMatched}">–<span class="visually-hidden"> ${notMatched}</span></span>`
    : integerCell("total_tenements")(company)

export const notMatchedInWords = html`<span class="muted">${notMatched}</span>`

export const linkedTenementsInWords: Cell = (company, links, day) =>
  company.total_tenements === 0
    ? notMatchedInWords
    : linked("/companies/:code/tenements", "asx_code", linkedTenements)(company, links, day)

/** The state's map, which finds a tenement by its number. */
export const stateViewer: Cell = (record) => {
  const viewer = stateViewers[textOf("state")(record)]
  return viewer
    ? html`<a href="${viewer.address}" rel="noopener noreferrer">${viewer.name}</a> <span class="muted">search for ${textOf("tenement_id")(record)}</span>`
    : dash
}

type ShowValue = (value: string, links: RecordLinks, record: ResourceRecord) => Content

/** Several values in one field, each on its own line. */
export const listed =
  (field: string, show: ShowValue = (value) => value): Cell =>
  (record, links) => {
    const value = record[field]
    const values = Array.isArray(value) ? value.map(String) : splitValues(textOf(field)(record))
    const [only, second] = values
    if (only === undefined) return textCell(field)(record)
    if (second === undefined) return show(only, links, record)
    return values.map((value) => html`<div>${show(value, links, record)}</div>`)
  }

/** A value as a link to the records of a list with this value. */
export const toList =
  (path: string, filter: string): ShowValue =>
  (value, links) =>
    html`<a href="${links(path, [[filter, value]])}">${value}</a>`

/** Longer names exceed the limit of the filters. */
export const maxSearched = 200

/** A holder as a link to its page, unless it has none. */
export const toHolder = (name: string, links: RecordLinks): Content =>
  [...name].length <= maxSearched && namedHolders(name).length > 0
    ? html`<a href="${links(pathWith("/holders/:name", name))}">${name}</a>`
    : name

/** A cell as a link to a path with the key: `/tenements/:id`. */
export const linked =
  (path: string, key: string, cell: Cell): Cell =>
  (record, links, day) =>
    html`<a href="${links(pathWith(path, textOf(key)(record)))}">${cell(record, links, day)}</a>`

/** A company as a link, by its name and code where the name is known. */
export const toCompany = (code: string, links: RecordLinks, name = ""): Html =>
  html`<a href="${links(pathWith("/companies/:code", code))}">${name ? `${name} (${code})` : html`<span class="mono">${code}</span>`}</a>`

/** The field for the name of a company, for records that have only its code. */
export const companyNameField = (code: string): string => `name of ${code}`

export const code = (field: string): Cell => linked("/companies/:code", field, identifier(field))

const tones: readonly (readonly [Tone, RegExp])[] = [
  [
    "bad",
    /expired|cancel|surrender|refused|withdrawn|rejected|ceased|forfeit|dead|lapsed|inactive/,
  ],
  ["waiting", /pending|applica|proposed|renewal/],
  ["good", /granted|live|current|active/],
]

const toneOf = (word: string): Tone =>
  tones.find(([, pattern]) => pattern.test(fold(word)))?.[0] ?? "neutral"

export const statusWord =
  (field: string): Cell =>
  ({ [field]: value }) =>
    typeof value === "string" && value !== "" ? statusBadge(value, toneOf(value)) : dash

export const listingStatus: Cell = ({ is_active }) =>
  is_active === true ? statusBadge("active", "good") : statusBadge("inactive", "bad")

/** @param file the last one of its source, on the page of a record */
export const missingInWords =
  (file: string): Cell =>
  ({ missing_since }) =>
    missing_since &&
    html` <div class="muted small">Missing from the ${file} since ${String(missing_since)}; awaiting confirmation.</div>`

/** The URL of a document, as a link only for safe schemes: others could run code. */
export const documentLink =
  (field: string, label?: string): Cell =>
  (record) => {
    const address = textOf(field)(record)
    return /^https?:\/\//i.test(address) && URL.canParse(address)
      ? html`<a href="${address}" rel="noopener noreferrer nofollow">${label ?? address}</a>`
      : orDash(address)
  }
