/** All pages below /docs, in groups. Each of the guide is a file of its name in `src/guide`. */

export interface DocsPage {
  name: string
  path: string
  /** Of the guide, as the heading of its file. */
  title: string
  /** What one finds there, without a full stop. */
  summary: string
}

export const guidePath = (name: string): string => `/docs/guide/${name}`
export const referencePath = (name: string): string => `/docs/reference/${name}`

const pagesAt = (
  pathOf: (name: string) => string,
  pages: readonly (readonly [name: string, title: string, summary: string])[],
): readonly DocsPage[] =>
  pages.map(([name, title, summary]) => ({ name, path: pathOf(name), title, summary }))

/** For those who use the API. */
export const userGuide = pagesAt(guidePath, [
  ["first-request", "First request", "A token, a request, filters, CSV and TSV"],
  ["paging", "Reading a whole list", "Every page, in curl, Python, R and TypeScript"],
  ["google-sheets", "Google Sheets", "IMPORTDATA, refreshing, and what its errors mean"],
  ["excel", "Excel and Power Query", "A query that keeps the token out of the workbook"],
  ["data-frames", "pandas, R and DuckDB", "A whole list as a table, with the right types"],
  ["limits", "Limits, and what to do at 429", "What counts, and how to need less"],
  ["releases", "Releases", "Reading the past, and keeping a copy up to date"],
  ["errors", "Errors", "Each error with its causes and their cure"],
  ["versions", "Versions", "What may change within v1, and how a change is announced"],
  ["terms", "Terms", "What the words of the guide mean"],
])

/** For those who run the service. */
export const operatorGuide = pagesAt(guidePath, [
  ["running", "Running the service", "Health, shutdown, proxies, several processes"],
  ["deploying", "Deploying", "Images, Docker Compose with Caddy, Kubernetes, upgrades"],
  ["scaling", "Scaling", "What one machine carries and what to add when; kinds of Redis"],
  ["databases", "Replicas, failover and poolers", "What the service needs of each"],
  ["backups", "Backups and upgrades", "With pg_dump or a copy of the directory"],
  ["observing", "Observing the service", "The log and its fields, traces"],
  ["monitoring", "Monitoring", "Metrics, alert rules for Prometheus, a dashboard for Grafana"],
  ["loading", "Loading data", "Sources, checks, and how tenements are linked to companies"],
  ["accounts", "Accounts, tokens and limits", "The commands for them, and the plans"],
  ["architecture", "Architecture", "Invariants and dependencies"],
  ["benchmarks", "Benchmarks", "What is measured, and beside what"],
])

/** One for each group of operations in the API's description. */
export const referencePages = pagesAt(referencePath, [
  ["companies", "Companies", "Search, filter and order them; one company"],
  ["tenements", "Tenements", "By state, status, type and holder; one tenement"],
  ["subsidiaries", "Subsidiaries", "Of one company"],
  ["company-versions", "Company versions", "The history of one company"],
  ["tenement-versions", "Tenement versions", "The history of one tenement"],
  ["reports", "Reports", "By company, type, day and title; one announcement"],
  ["report-versions", "Report versions", "The history of one announcement"],
  ["facets", "Facets", "The values of a field of a list, with counts"],
  ["releases", "Releases", "What each release changed"],
  ["sources", "Sources", "Where the data comes from, and how fresh it is"],
  ["usage", "Usage", "Your plan, your window and your requests of the last day"],
])

const allEndpoints = pagesAt(
  () => "/docs/reference",
  [["", "All endpoints", "Every endpoint with its fields, parameters, errors and a real answer"]],
)

export const docsGroups = [
  { title: "Using the API", pages: userGuide },
  { title: "Reference", pages: [...allEndpoints, ...referencePages] },
  { title: "Running the service", pages: operatorGuide },
]
