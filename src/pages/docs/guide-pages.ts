/** The pages of the guide, in their order. Each is a file of its name in `src/guide`. */

export interface GuidePage {
  name: string
  /** As the heading of its file. */
  title: string
  /** What one learns there, without a full stop. */
  summary: string
}

/** For those who use the API. */
export const userGuide: readonly GuidePage[] = [
  {
    name: "first-request",
    title: "First request",
    summary: "A token, a request and its answer; filters, CSV and TSV",
  },
  {
    name: "paging",
    title: "Reading a whole list",
    summary: "Programs in curl, Python, R and TypeScript that read every page",
  },
  {
    name: "google-sheets",
    title: "Google Sheets",
    summary: "IMPORTDATA, refreshing, and what its errors mean",
  },
  {
    name: "excel",
    title: "Excel and Power Query",
    summary: "A query that keeps the token out of the workbook",
  },
  {
    name: "data-frames",
    title: "pandas, R and DuckDB",
    summary: "A whole list as a table, with the right types",
  },
  {
    name: "limits",
    title: "Limits, and what to do at 429",
    summary: "What counts, where you stand, and how to need less",
  },
  {
    name: "releases",
    title: "Releases",
    summary: "Reading the past, and keeping a copy up to date",
  },
  {
    name: "errors",
    title: "Errors",
    summary: "Each error with its causes and their cure",
  },
  {
    name: "versions",
    title: "Versions",
    summary: "What may change within v1, and how a change is announced",
  },
  {
    name: "terms",
    title: "Terms",
    summary: "What the words of the guide mean",
  },
]

/** For those who run the service. */
export const operatorGuide: readonly GuidePage[] = [
  {
    name: "running",
    title: "Running the service",
    summary: "Health, shutdown, proxies, the database, several processes",
  },
  {
    name: "deploying",
    title: "Deploying",
    summary: "Images, Docker Compose with Caddy, Kubernetes, upgrades without a failed request",
  },
  {
    name: "scaling",
    title: "Scaling",
    summary: "What one machine carries and what to add when; kinds of Redis",
  },
  {
    name: "databases",
    title: "Replicas, failover and poolers",
    summary: "What the service needs of a database that fails over, of replicas and of PgBouncer",
  },
  {
    name: "backups",
    title: "Backups and upgrades",
    summary: "Backups with pg_dump or a copy of the directory, restoring, upgrades",
  },
  {
    name: "observing",
    title: "Observing the service",
    summary: "The log and its fields, traces, Server-Timing",
  },
  {
    name: "monitoring",
    title: "Monitoring",
    summary: "Metrics, alert rules for Prometheus with what to do, a dashboard for Grafana",
  },
  {
    name: "loading",
    title: "Loading data",
    summary: "Sources, checks, and how tenements are linked to companies",
  },
  {
    name: "accounts",
    title: "Accounts, tokens and limits",
    summary: "The commands for accounts and tokens, and the plans",
  },
  {
    name: "architecture",
    title: "Architecture",
    summary: "Invariants and dependencies",
  },
  {
    name: "benchmarks",
    title: "Benchmarks",
    summary: "What is measured, and beside what",
  },
]

export const guidePages: readonly GuidePage[] = [...userGuide, ...operatorGuide]

export const guidePath = (name: string): string => `/docs/guide/${name}`
