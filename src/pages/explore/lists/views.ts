/** The lists of the explorer. */
import { listEndpoint } from "../../../answers/list-endpoint.ts"
import { subsidiaries } from "../../../resources/subsidiaries.ts"
import {
  companyList,
  subsidiariesOfCompany,
  tenementsOfCompany,
} from "../../../routes/companies.ts"
import { reportList } from "../../../routes/reports.ts"
import { tenementList } from "../../../routes/tenements.ts"
import { stateNames } from "../../kit/format.ts"
import { html } from "../../kit/html.ts"
import {
  activity,
  documentLink,
  exactly,
  integer,
  listed,
  moment,
  rounded,
  shown,
  statusWord,
  text,
} from "./cells.ts"
import type { FilterField, ListView, ViewColumn } from "./list-view.ts"

const quoted = (value: string): string => `“${value}”`

const state: FilterField = {
  name: "state",
  label: "State",
  choices: Object.keys(stateNames).map((value) => ({ value, label: value })),
  words: (value) => `in ${stateNames[value] ?? value}`,
}

const status: FilterField = {
  name: "status",
  label: "Status",
  valuesOf: "status",
  words: (value) => `with the status ${quoted(value)}`,
}

const type: FilterField = {
  name: "type",
  label: "Type",
  valuesOf: "type",
  words: (value) => `of the type ${quoted(value)}`,
}

const code = (field: string): ViewColumn["cell"] =>
  function companyCode({ [field]: value }, { to }) {
    const path = `/companies/${encodeURIComponent(String(value))}`
    return html`<a class="mono" href="${to(path)}">${shown(value)}</a>`
  }

const tenementColumns: readonly ViewColumn[] = [
  {
    head: "Tenement",
    fixed: true,
    cell: ({ id, tenement_id }, { to }) =>
      html`<a class="mono" href="${to(`/tenements/${encodeURIComponent(String(id))}`)}">${shown(tenement_id)}</a>`,
  },
  { head: "State", fixed: true, cell: text("state") },
  { head: "Status", fixed: true, cell: statusWord("status") },
  { head: "Type", cell: text("type") },
  { head: "Holder", wide: true, cell: listed("holder_name") },
  { head: "Granted", number: true, cell: text("grant_date") },
  { head: "Expires", number: true, cell: text("expiry_date") },
  { head: "Area, km²", number: true, cell: rounded("area_km2") },
]

const countedOfTenements = [
  { field: "status", title: "By status", filter: "status" },
  { field: "state", title: "By state", filter: "state" },
]

const subsidiaryColumns: readonly ViewColumn[] = [
  { head: "Name", wide: true, cell: text("name") },
  { head: "Parent", fixed: true, cell: code("parent_asx_code") },
  { head: "Country", cell: text("country") },
  { head: "Owned, %", number: true, cell: exactly("ownership_percentage") },
]

export const companiesView: ListView = {
  path: "/companies",
  endpoint: companyList,
  apiPath: "/companies",
  title: "Companies",
  noun: ["company", "companies"],
  filters: [
    {
      name: "search",
      label: "Name or code",
      wide: true,
      words: (value) => `whose name or code contains ${quoted(value)}`,
    },
    {
      name: "sector",
      label: "Sector",
      valuesOf: "gics_sector",
      words: (value) => `of the sector ${quoted(value)}`,
    },
    {
      name: "active",
      label: "Listed",
      choices: [
        { value: "true", label: "Active" },
        { value: "false", label: "Inactive" },
      ],
      words: (value) => (value === "false" ? "that are inactive" : "that are active"),
    },
  ],
  columns: [
    { head: "Code", fixed: true, cell: code("asx_code"), sort: { by: "asx_code", first: "asc" } },
    { head: "Company", wide: true, cell: text("company_name"), sort: { by: "name", first: "asc" } },
    { head: "Sector", cell: text("gics_sector") },
    { head: "Industry group", cell: text("gics_industry_group") },
    { head: "Listed", fixed: true, cell: activity },
    { head: "Tenements", number: true, cell: integer("total_tenements") },
    {
      head: "Market cap, A$",
      number: true,
      cell: integer("market_cap_aud"),
      sort: { by: "market_cap", first: "desc" },
    },
  ],
  counted: [{ field: "gics_sector", title: "By sector", filter: "sector" }],
}

export const tenementsView: ListView = {
  path: "/tenements",
  endpoint: tenementList,
  apiPath: "/tenements",
  title: "Tenements",
  noun: ["tenement", "tenements"],
  filters: [
    {
      name: "holder",
      label: "Holder",
      wide: true,
      words: (value) => `held by names containing ${quoted(value)}`,
    },
    state,
    status,
    type,
  ],
  columns: tenementColumns,
  counted: countedOfTenements,
}

export const reportsView: ListView = {
  path: "/reports",
  endpoint: reportList,
  apiPath: "/reports",
  title: "Announcements",
  noun: ["announcement", "announcements"],
  filters: [
    {
      name: "search",
      label: "Title",
      wide: true,
      words: (value) => `whose title contains ${quoted(value)}`,
    },
    { name: "company", label: "Company code", words: (value) => `of ${value.toUpperCase()}` },
    type,
    { name: "from", label: "From", type: "date", words: (value) => `from ${value}` },
    { name: "to", label: "To", type: "date", words: (value) => `to ${value}` },
  ],
  columns: [
    {
      head: "Title",
      wide: true,
      cell: ({ hash, title }, { to }) =>
        html`<a href="${to(`/reports/${encodeURIComponent(String(hash))}`)}">${shown(title)}</a>`,
    },
    { head: "Company", fixed: true, cell: code("asx_code") },
    { head: "Type", cell: listed("type") },
    { head: "Published", number: true, cell: moment("published_at") },
    { head: "Document", fixed: true, cell: ({ url }) => documentLink(url, "Open") },
  ],
  counted: [{ field: "type", title: "By type", filter: "type", isList: true }],
}

export const companyTenementsView: ListView = {
  ...tenementsView,
  path: "/companies/:code/tenements",
  endpoint: tenementsOfCompany,
  apiPath: "/companies/:code/tenements",
  title: "Tenements of :code",
  filters: [state, status],
}

/**
 * The API lists subsidiaries by company; this is a list of all of them, for people to look through. Its
 * filter leads to the list of a company.
 */
export const subsidiariesView: ListView = {
  path: "/subsidiaries",
  endpoint: listEndpoint({ resource: subsidiaries, filters: [] }),
  apiPath: null,
  title: "Subsidiaries",
  noun: ["subsidiary", "subsidiaries"],
  filters: [{ name: "company", label: "Company code", words: (value) => `of ${value}` }],
  columns: subsidiaryColumns,
  counted: [],
}

export const companySubsidiariesView: ListView = {
  ...subsidiariesView,
  path: "/companies/:code/subsidiaries",
  filters: [],
  endpoint: subsidiariesOfCompany,
  apiPath: "/companies/:code/subsidiaries",
  title: "Subsidiaries of :code",
}

/** Those that every page of the explorer leads to. */
export const mainViews: readonly ListView[] = [
  companiesView,
  tenementsView,
  subsidiariesView,
  reportsView,
]
