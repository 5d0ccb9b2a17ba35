/** The lists of tenements. */
import { type CanonicalQuery, queryText } from "../../../../api/http/query-string.ts"
import { tenementsOfCompany } from "../../../../api/routes/companies.ts"
import { tenement, tenementHistory, tenementList } from "../../../../api/routes/tenements.ts"
import { isPastExpiry } from "../../../../data/resources/tenements.ts"
import { daysAfter } from "../../../../system/text/calendar-date.ts"
import { statusBadge } from "../../kit/components.ts"
import { dash, stateNames } from "../../kit/format.ts"
import { attributes, html } from "../../kit/html.ts"
import {
  area,
  companyNameField,
  identifier,
  linked,
  listed,
  missingInWords,
  rounded,
  stateViewer,
  statusWord,
  textOf,
  toCompany,
  toHolder,
} from "./cells.ts"
import type { Cell, FilterField, ListOfRecords, ListView } from "./list-view.ts"
import { aroundTowns, boxInWords, circleInWords } from "./places.ts"

const granted = { status: "granted", sort: "expiry_date", order: "asc" }

/** The granted tenements, those with the next expiry first. @param day the first day that counts */
export const nextToExpire = (day: string) => ({ ...granted, expires_from: day })

export const expiringWithin = (day: string, days: number) => ({
  ...nextToExpire(day),
  expires_to: daysAfter(day, days),
})

const statusAt: Cell = (record, links, day) =>
  html`${statusWord("status")(record, links, day)}${isPastExpiry(record, day) && html` ${statusBadge("past expiry", "waiting")}`}`

const stillListed = html` <div class="muted small">Its expiry date has passed, and its register still lists it as granted.</div>`

const statusExplained: Cell = (record, links, day) =>
  html`${statusAt(record, links, day)}${missingInWords("register’s file")(record, links, day) || (isPastExpiry(record, day) && stillListed)}`

/** The codes, with the names on hover: there is no room for both beside the holders. */
export const companyCodes = listed(
  "asx_codes",
  (code, links, tenement) =>
    html`<span ${attributes({ title: textOf(companyNameField(code))(tenement) || null })}>${toCompany(code, links)}</span>`,
)

const aroundKm = 10

const around: Cell = ({ id, latitude }, links) => {
  if (latitude === null) return dash
  const near: CanonicalQuery = [["near", `${id},${aroundKm}`]]
  return html`<a href="${links("/tenements", near)}">Around this tenement (${aroundKm} km)</a> ·
<a href="${links("/map", near)}#${queryText([["id", String(id)]])}">Map</a>`
}

export const quoted = (words: string) => (value: string) => `${words} “${value}”`

export const valueFilter = (label: string, words: string): FilterField => ({
  name: label.toLowerCase(),
  label,
  words: quoted(words),
})

/** Two filters for the days of a period: `granted_from` and `granted_to`. */
function period(name: string, label: string): readonly FilterField[] {
  const words = label.toLowerCase()
  return [
    {
      name: `${name}_from`,
      label: `${label} from`,
      type: "date",
      isFurther: true,
      words: (value) => `${words} from ${value}`,
    },
    {
      name: `${name}_to`,
      label: `${label} until`,
      type: "date",
      isFurther: true,
      words: (value, given) => (given(`${name}_from`) ? `to ${value}` : `${words} by ${value}`),
    },
  ]
}

export const tenementsView: ListOfRecords = {
  path: "/tenements",
  endpoint: tenementList,
  noun: ["tenement", "tenements"],
  filters: [
    {
      name: "holder",
      label: "Holder contains",
      wide: true,
      words: quoted("held by names containing"),
    },
    {
      name: "held_by",
      label: "Holder is exactly",
      isUncounted: true,
      isFurther: true,
      words: (value) => `held by ${value}`,
    },
    { name: "search", label: "Number or name", words: quoted("whose number or name contains") },
    {
      name: "company",
      label: "Company",
      words: (value) => `held by ${value.toUpperCase()}`,
    },
    { name: "state", label: "State", words: (value) => `in ${stateNames[value] ?? value}` },
    valueFilter("Status", "with the status"),
    valueFilter("Type", "of the type"),
    {
      name: "near",
      label: "Near a place or tenement, or latitude, longitude, km",
      isFurther: true,
      suggested: aroundTowns,
      words: circleInWords,
    },
    { name: "bbox", label: "Box", isHidden: true, words: boxInWords },
    ...period("granted", "Granted"),
    ...period("expires", "Expiring"),
  ],
  presets: [
    ...[30, 90, 365].map((days) => ({
      title: `Expiring within ${days} days`,
      parameters: (day: string) => expiringWithin(day, days),
    })),
    {
      title: "Past their expiry date",
      parameters: (day) => ({ ...granted, expires_from: null, expires_to: daysAfter(day, -1) }),
    },
  ],
  fields: [
    {
      head: "Tenement",
      field: "tenement_id",
      fixed: true,
      only: "list",
      cell: linked("/tenements/:id", "id", identifier("tenement_id")),
      sort: "id",
    },
    { head: "Identifier", field: "id", cell: identifier("id"), only: "record" },
    { head: "State", field: "state", fixed: true, minor: true, only: "list" },
    { head: "Status", field: "status", fixed: true, cell: statusAt, fact: statusExplained },
    { head: "Type", field: "type", minor: true },
    {
      head: "Holder",
      field: "holder_name",
      wide: true,
      cell: listed("holder_name", toHolder),
    },
    {
      head: "Company",
      field: "asx_codes",
      fixed: true,
      minor: true,
      cell: companyCodes,
      fact: (tenement, links, day) =>
        String(tenement.asx_codes) === ""
          ? html`<span class="muted">Not matched to any company yet</span>`
          : companyCodes(tenement, links, day),
    },
    { head: "Granted", field: "grant_date", number: true, minor: true, sort: "grant_date" },
    { head: "Expires", field: "expiry_date", number: true, sort: "expiry_date" },
    {
      head: "Area, km²",
      field: "area_km2",
      number: true,
      minor: true,
      cell: rounded("area_km2"),
      fact: area("area_km2"),
      sort: "area_km2",
    },
    { head: "Name", field: "name", only: "record" },
    { head: "Commodities", field: "commodities", only: "record" },
    { head: "Around", cell: around, only: "record" },
    { head: "On the state’s map", cell: stateViewer, only: "record" },
  ],
  record: {
    title: textOf("tenement_id"),
    lead: ({ state }) => `A tenement in ${stateNames[String(state)] ?? state}`,
    endpoint: tenement,
    within: ["state", "state"],
    history: { path: "/tenements/:id/history", endpoint: tenementHistory },
  },
}

export const companyTenementsView: ListView = {
  ...tenementsView,
  path: "/companies/:code/tenements",
  endpoint: tenementsOfCompany,
  filters: tenementsView.filters.filter(({ name }) => name !== "company"),
}
