/** The values of records as they are shown. */
import type { ResourceRecord, Value } from "../../../resources/resource.ts"
import { fold, splitValues } from "../../../text/fold.ts"
import { status, type Tone } from "../../kit/components.ts"
import { dash, instant, number, orDash } from "../../kit/format.ts"
import { type Content, html } from "../../kit/html.ts"

type Cell = (record: ResourceRecord) => Content

/** Text as it is; a dash where it is unknown. */
export const text =
  (field: string): Cell =>
  (record) =>
    orDash(shown(record[field]))

export const shown = (value: Value | undefined): string | null =>
  value === null || value === undefined ? null : String(value)

export const integer =
  (field: string): Cell =>
  ({ [field]: value }) =>
    typeof value === "number" ? number(value) : dash

const exactFormat = new Intl.NumberFormat("en-AU", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 20,
})

const roundedFormat = new Intl.NumberFormat("en-AU", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
})

/** As it is, with two decimals at least. */
export const exactly =
  (field: string): Cell =>
  ({ [field]: value }) =>
    typeof value === "number" ? exactFormat.format(value) : dash

/** With two decimals, so that numbers stand under one another; `<0.01` for what would be shown as 0. */
export const rounded =
  (field: string): Cell =>
  ({ [field]: value }) => {
    if (typeof value !== "number") return dash
    return value > 0 && value < 0.005 ? "<0.01" : roundedFormat.format(value)
  }

export const moment =
  (field: string): Cell =>
  ({ [field]: value }) =>
    typeof value === "string" ? instant(value) : dash

/** Several values in one field, one under another. */
export const listed =
  (field: string): Cell =>
  ({ [field]: value }) => {
    const values = splitValues(String(value ?? ""))
    if (values.length === 0) return orDash(shown(value))
    return values.map((each) => html`<div>${each}</div>`)
  }

const tones: readonly (readonly [Tone, RegExp])[] = [
  [
    "bad",
    /expired|cancel|surrender|refused|withdrawn|rejected|ceased|forfeit|dead|lapsed|inactive/,
  ],
  ["waiting", /pending|applica|proposed|renewal/],
  ["good", /granted|live|current|active/],
]

export const toneOf = (word: string): Tone =>
  tones.find(([, pattern]) => pattern.test(fold(word)))?.[0] ?? "neutral"

export const statusWord =
  (field: string): Cell =>
  ({ [field]: value }) =>
    typeof value === "string" && value !== "" ? status(value, toneOf(value)) : dash

export const activity: Cell = ({ is_active }) =>
  is_active === true ? status("active", "good") : status("inactive", "bad")

/** The address of a document, as a link only where a browser may follow it. */
export function documentLink(value: Value | undefined, label: string): Content {
  if (typeof value !== "string" || value === "") return dash
  return isWebAddress(value)
    ? html`<a href="${value}" rel="noopener noreferrer nofollow">${label}</a>`
    : value
}

/** Other schemes could run code. */
const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)
