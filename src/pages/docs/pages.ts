/** All pages below /docs, in groups. Each of the guide is a file of its name in `src/guide`. */

export interface DocsPage {
  name: string
  path: string
  /** Of the guide, as the heading of its file. */
  title: string
  /** What one finds there, without a full stop. */
  summary: string
}

export interface DocsGroup {
  title: string
  pages: readonly DocsPage[]
}

const pathIn = (folder: string) => (name: string) => `/docs/${folder}/${name}`
export const guidePath = pathIn("guide")
export const referencePath = pathIn("reference")

const pageAt =
  (pathOf: typeof guidePath) =>
  (name: string, title: string, summary: string): DocsPage => ({
    name,
    path: pathOf(name),
    title,
    summary,
  })
const guide = pageAt(guidePath)
const reference = pageAt(referencePath)

/** For those who use the API. */
export const userGuide: readonly DocsPage[] = [
  guide("first-request", "First request", "A token, a request, filters, CSV and TSV"),
  guide("paging", "Reading a whole list", "Every page, in curl, Python, R and TypeScript"),
  guide("google-sheets", "Google Sheets", "IMPORTDATA, refreshing, and what its errors mean"),
  guide("excel", "Excel and Power Query", "A query that keeps the token out of the workbook"),
  guide("data-frames", "pandas, R and DuckDB", "A whole list as a table, with the right types"),
  guide("limits", "Limits, and what to do at 429", "What counts, and how to need less"),
  guide("releases", "Releases", "Reading the past, and keeping a copy up to date"),
  guide("errors", "Errors", "Each error with its causes and their cure"),
  guide("versions", "Versions", "What may change within v1, and how a change is announced"),
  guide("terms", "Terms", "What the words of the guide mean"),
]

/** For those who run the service. */
export const operatorGuide: readonly DocsPage[] = [
  guide("running", "Running the service", "Health, shutdown, proxies, several processes"),
  guide("deploying", "Deploying", "Images, Docker Compose with Caddy, Kubernetes, upgrades"),
  guide("scaling", "Scaling", "What one machine carries and what to add when; kinds of Redis"),
  guide("databases", "Replicas, failover and poolers", "What the service needs of each"),
  guide("backups", "Backups and upgrades", "With pg_dump or a copy of the directory"),
  guide("observing", "Observing the service", "The log and its fields, traces"),
  guide("monitoring", "Monitoring", "Metrics, alert rules for Prometheus, a dashboard for Grafana"),
  guide("loading", "Loading data", "Sources, checks, and how tenements are linked to companies"),
  guide("accounts", "Accounts, tokens and limits", "The commands for them, and the plans"),
  guide("architecture", "Architecture", "Invariants and dependencies"),
  guide("benchmarks", "Benchmarks", "What is measured, and beside what"),
]

/** One for each group of operations in the API's description. */
export const referencePages: readonly DocsPage[] = [
  reference("companies", "Companies", "Search, filter and order them; one company"),
  reference("tenements", "Tenements", "By state, status, type and holder; one tenement"),
  reference("subsidiaries", "Subsidiaries", "Of one company"),
  reference("company-versions", "Company versions", "The history of one company"),
  reference("tenement-versions", "Tenement versions", "The history of one tenement"),
  reference("reports", "Reports", "By company, type, day and title; one announcement"),
  reference("report-versions", "Report versions", "The history of one announcement"),
  reference("releases", "Releases", "What each release changed"),
  reference("sources", "Sources", "Where the data comes from, and how fresh it is"),
  reference("usage", "Usage", "Your plan, your window and your requests of the last day"),
]

const allEndpoints: DocsPage = {
  name: "",
  path: "/docs/reference",
  title: "All endpoints",
  summary: "Every endpoint with its fields, parameters, errors and a real answer",
}

export const docsGroups: readonly DocsGroup[] = [
  { title: "Using the API", pages: userGuide },
  { title: "Reference", pages: [allEndpoints, ...referencePages] },
  { title: "Running the service", pages: operatorGuide },
]
