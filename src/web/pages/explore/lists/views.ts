/** The lists of the explorer, each with its filters, its fields and the page of its records. */

import { listEndpoint } from "../../../../api/responses/endpoint.ts"
import {
  company,
  companyHistory,
  companyList,
  subsidiariesOfCompany,
} from "../../../../api/routes/companies.ts"
import { tenementFacets } from "../../../../api/routes/facets.ts"
import { report, reportHistory, reportList } from "../../../../api/routes/reports.ts"
import type { ResourceRecord } from "../../../../data/resources/resource.ts"
import { subsidiaries } from "../../../../data/resources/subsidiaries.ts"
import { type Content, html } from "../../kit/html.ts"
import {
  code,
  documentLink,
  exactNumber,
  identifier,
  inSydney,
  integerCell,
  linked,
  linkedTenements,
  linkedTenementsInWords,
  listed,
  listingStatus,
  marketCap,
  missingInWords,
  shortDollars,
  textCell,
  textOf,
  toHolder,
  toList,
} from "./cells.ts"
import { type ListOfRecords, type ListView, type RecordLinks, recordPathOf } from "./list-view.ts"
import {
  companyCodes,
  companyTenementsView,
  quoted,
  tenementsView,
  valueFilter,
} from "./tenement-views.ts"

export const companiesView: ListOfRecords = {
  path: "/companies",
  endpoint: companyList,
  noun: ["company", "companies"],
  filters: [
    {
      name: "search",
      label: "Name or code",
      wide: true,
      words: quoted("whose name or code contains"),
    },
    valueFilter("Sector", "of the sector"),
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
  fields: [
    { head: "Code", field: "asx_code", only: "list", cell: code("asx_code"), sort: "asx_code" },
    {
      head: "Company",
      field: "company_name",
      wide: true,
      only: "list",
      cell: linked("/companies/:code", "asx_code", textCell("company_name")),
      sort: "name",
    },
    { head: "Sector", field: "gics_sector", minor: true },
    {
      head: "Industry group",
      field: "gics_industry_group",
      only: "record",
      fact: (company) =>
        company.gics_sector !== company.gics_industry_group &&
        textCell("gics_industry_group")(company),
    },
    {
      head: "Listed",
      field: "is_active",
      fixed: true,
      minor: true,
      cell: listingStatus,
      fact: (...shown) =>
        html`${listingStatus(...shown)}${missingInWords("directory’s file")(...shown)}`,
    },
    {
      head: "Tenements",
      field: "total_tenements",
      number: true,
      cell: linkedTenements,
      fact: linkedTenementsInWords,
      sort: "total_tenements",
    },
    {
      head: "Market cap, A$",
      field: "market_cap_aud",
      number: true,
      cell: shortDollars("market_cap_aud"),
      fact: marketCap,
      sort: "market_cap",
    },
  ],
  record: {
    title: textOf("company_name"),
    lead: companyLead,
    endpoint: company,
    within: ["sector", "gics_sector"],
    history: { path: "/companies/:code/history", endpoint: companyHistory },
  },
}

/** An order of companies. */
export const largestFirst = { sort: "market_cap", order: "desc" }

function companyLead(
  { asx_code }: ResourceRecord,
  { successor }: ResourceRecord,
  links: RecordLinks,
): Content {
  if (typeof successor === "string") {
    return html`Listed as ${String(asx_code)}, now <a href="${links(recordPathOf(companiesView, successor))}">${successor}</a>`
  }
  return `Listed as ${asx_code}`
}

export const reportsView: ListOfRecords = {
  path: "/reports",
  endpoint: reportList,
  noun: ["announcement", "announcements"],
  filters: [
    { name: "search", label: "Title", wide: true, words: quoted("whose title contains") },
    { name: "company", label: "Company", words: (value) => `of ${value.toUpperCase()}` },
    { name: "group", label: "Category", words: quoted("in the category") },
    { name: "type", label: "ASX type", words: quoted("of the ASX type") },
    { name: "from", label: "From (Sydney)", type: "date", words: (day) => `from ${day} (Sydney)` },
    { name: "to", label: "To (Sydney)", type: "date", words: (day) => `to ${day} (Sydney)` },
  ],
  presets: ["Quarterly", "Drilling", "Annual"].map((group) => ({
    title: `${group} reports`,
    parameters: () => ({ group: group.toLowerCase() }),
  })),
  fields: [
    {
      head: "Title",
      field: "title",
      wide: true,
      only: "list",
      cell: linked("/reports/:hash", "hash", textCell("title")),
    },
    { head: "Company", field: "asx_code", fixed: true, cell: code("asx_code") },
    {
      head: "ASX type",
      field: "type",
      wide: true,
      minor: true,
      cell: listed("type"),
      fact: listed("type", toList("/reports", "type")),
    },
    { head: "Published", field: "published_at", number: true, cell: inSydney("published_at") },
    { head: "Identifier", field: "hash", cell: identifier("hash"), only: "record" },
    {
      head: "Document",
      field: "url",
      fixed: true,
      cell: documentLink("url", "Open"),
      fact: documentLink("url"),
    },
  ],
  record: {
    title: textOf("title"),
    lead: ({ asx_code }) => `An announcement of ${asx_code}`,
    endpoint: report,
    within: ["company", "asx_code"],
    history: { path: "/reports/:hash/history", endpoint: reportHistory },
  },
}

/** All subsidiaries. The API lists subsidiaries by company, so the filter selects the list of a company. */
export const subsidiariesView: ListView = {
  path: "/subsidiaries",
  endpoint: listEndpoint({ path: "/subsidiaries", resource: subsidiaries }),
  isOfExplorerOnly: true,
  noun: ["subsidiary", "subsidiaries"],
  filters: [{ name: "company", label: "Company", words: (value) => `of ${value}` }],
  fields: [
    { head: "Name", field: "name", wide: true },
    { head: "Parent", field: "parent_asx_code", fixed: true, cell: code("parent_asx_code") },
    { head: "Country", field: "country" },
    {
      head: "Owned, %",
      field: "ownership_percentage",
      number: true,
      cell: exactNumber("ownership_percentage"),
    },
  ],
}

export const companySubsidiariesView: ListView = {
  path: "/companies/:code/subsidiaries",
  endpoint: subsidiariesOfCompany,
  noun: subsidiariesView.noun,
  filters: [],
  fields: subsidiariesView.fields,
}

/** The holders of tenements. */
export const holdersView: ListView = {
  path: "/holders",
  endpoint: tenementFacets,
  key: "held_by",
  noun: ["holder", "holders"],
  filters: tenementsView.filters,
  fields: [
    {
      head: "Holder",
      field: "value",
      wide: true,
      cell: (record, links) => toHolder(textOf("value")(record), links),
    },
    { head: "Company", fixed: true, cell: companyCodes },
    { head: "Tenements", field: "count", number: true, cell: integerCell("count") },
  ],
}

/** The lists in the menu of the explorer. */
export const mainViews: readonly ListView[] = [
  companiesView,
  tenementsView,
  holdersView,
  subsidiariesView,
  reportsView,
]

/** All lists with a URL. */
export const listViews: readonly ListView[] = [
  ...mainViews,
  companyTenementsView,
  companySubsidiariesView,
]
