import { countOf, formatCount } from "../../../system/text/display.ts"
import { dayMs, hourMs, minuteMs } from "../../../system/text/time.ts"
import { type Content, html } from "./html.ts"

/** `1,234,567` */
export const number = formatCount

/** `1 token`, `2 tokens` */
export const count = countOf

const largeUnits = [
  ["tn", 1e12],
  ["bn", 1e9],
  ["m", 1e6],
] as const
const oneDecimal = new Intl.NumberFormat("en-AU", { maximumFractionDigits: 1 })

/** `334.3 bn`, with the whole sum on hover. */
export function dollars(value: number) {
  // 999.95 million would round to 1,000 million, which is 1 billion.
  const [unit, size] = largeUnits.find(([, size]) => value >= size * 0.99995) ?? []
  const short = size === undefined ? number(value) : `${oneDecimal.format(value / size)} ${unit}`
  return html`<span title="A$${number(value)}">${short}</span>`
}

/** `738 kB`, `11.2 MB` */
export const dataSize = (bytes: number): string =>
  bytes < 999_500 ? `${Math.ceil(bytes / 1e3)} kB` : `${oneDecimal.format(bytes / 1e6)} MB`

export const dash = html`<span class="muted unknown">–</span>`

export const orDash = (value: Content): Content =>
  value === null || value === undefined || value === "" ? dash : value

/** `2026-01-02 03:04 UTC`, from `2026-01-02T03:04:05Z`. */
export const timeElement = (iso: string) =>
  html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`

/** `1 July 2026`, in UTC. */
export const longDate = new Intl.DateTimeFormat("en-AU", { dateStyle: "long", timeZone: "UTC" })
  .format

const distanceFrom = new Intl.RelativeTimeFormat("en-AU")
const units = [
  ["day", dayMs],
  ["hour", hourMs],
  ["minute", minuteMs],
] as const

/** `2 hours ago`, `in 3 days`, `just now` */
export function relative(atMs: number, nowMs: number): string {
  const isPast = atMs <= nowMs
  // Rounded, so that "in 7 days" stays for more than a moment.
  const distance = isPast ? nowMs - atMs : Math.round((atMs - nowMs) / minuteMs) * minuteMs
  const [unit, unitMs] = units.find(([, ms]) => distance >= ms) ?? []
  if (unit === undefined || unitMs === undefined) return isPast ? "just now" : "in a moment"
  const whole = isPast ? -Math.floor(distance / unitMs) : Math.round(distance / unitMs)
  return distanceFrom.format(whole, unit)
}

/** Text of other people, isolated because it may change the direction of the text around it. */
export const isolated = (text: string) => html`<bdi>${text}</bdi>`

/** A time with its distance from now. */
export const instantAgo = (iso: string, nowMs: number) =>
  html`<time datetime="${iso}" title="${iso}">${relative(Date.parse(iso), nowMs)}</time>`

/** The states in sentences, by their codes. */
export const stateNames: Readonly<Record<string, string>> = {
  WA: "Western Australia",
  NSW: "New South Wales",
  QLD: "Queensland",
  VIC: "Victoria",
  SA: "South Australia",
  TAS: "Tasmania",
  NT: "the Northern Territory",
}

/** The public map of each state's register. No register documents a URL for one tenement. */
export const stateViewers: Readonly<Record<string, { name: string; address: string }>> = {
  WA: { name: "GeoVIEW.WA", address: "https://geoview.dmp.wa.gov.au/geoview/?Viewer=GeoVIEW" },
  NSW: { name: "MinView", address: "https://minview.geoscience.nsw.gov.au/" },
  QLD: { name: "GeoResGlobe", address: "https://georesglobe.information.qld.gov.au/" },
  VIC: {
    name: "GeoVic",
    address: "https://earthresources.vic.gov.au/geology-exploration/maps-reports-data/geovic",
  },
  SA: { name: "SARIG", address: "https://map.sarig.sa.gov.au/" },
  TAS: { name: "MRT maps", address: "https://www.mrt.tas.gov.au/mrt_maps/app/list/map" },
  NT: { name: "STRIKE", address: "https://strike.nt.gov.au/wss.html" },
}
