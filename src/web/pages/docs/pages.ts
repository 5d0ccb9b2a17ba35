/**
 * All pages below /docs, in groups. Each page of the guide is a file of its name in `src/web/guide`, except the
 * changelog, which people look for beside the README.
 */

export interface DocsPage {
  name: string
  path: string
  /** On pages of the guide, the heading of the file. */
  title: string
  /** Contents of the page in a few words, without a full stop. */
  summary: string
}

/** The file of a page of the guide, from the root of the program. */
export const guideFile = (name: string): string =>
  name === "changelog" ? "CHANGELOG.md" : `src/web/guide/${name}.md`

export const guidePath = (name: string): string => `/docs/guide/${name}`
export const referencePath = (name: string): string => `/docs/reference/${name}`

const pagesAt = (
  pathOf: (name: string) => string,
  pages: readonly (readonly [name: string, title: string, summary: string])[],
): readonly DocsPage[] =>
  pages.map(([name, title, summary]) => ({ name, path: pathOf(name), title, summary }))

export const userGuide = pagesAt(guidePath, [
  ["start", "Start", "A token, a request, filters, CSV and TSV"],
  ["holdings", "What a company holds", "Its tenements, its subsidiaries, its announcements"],
  ["places", "Where tenements lie", "Boxes, distances and shapes"],
  [
    "meaning",
    "Field meanings",
    "Expiry dates, unknown values, missing links; every status and type",
  ],
  ["google-sheets", "Google Sheets", "IMPORTDATA, refreshing, and its errors"],
  ["excel", "Excel and Power Query", "A query that keeps the token out of the workbook"],
  ["data-frames", "Python, R and DuckDB", "A whole list as a table, with the right types"],
  ["typescript", "TypeScript", "A client generated from the API's description"],
  ["whole-lists", "Bulk download", "One request for all, or every page, in Python and TypeScript"],
  ["copies", "History and sync", "Keep a copy in Python, R or TypeScript; the past; changes"],
  ["watches", "Watches", "Mails and webhooks when a list or a record changes"],
  ["assistants", "Ask an assistant", "Tools for Claude Code, VS Code, Cursor and programs"],
  ["limits", "Limits", "Counted requests, and the wait after 429"],
  ["errors", "Errors", "Each error with its causes and cures"],
  ["compatibility", "Compatibility", "Changes that v1 allows, and how others are announced"],
  ["changelog", "What's new", "The changes of each version, newest first"],
  ["terms", "Terms", "Words that this project defines"],
])

export const operatorGuide = pagesAt(guidePath, [
  [
    "first-hour",
    "The first hour",
    "From an empty folder to data, a token, a formula, daily fetches",
  ],
  ["install", "Without containers", "Bun alone, with the embedded PostgreSQL or your own"],
  ["load", "Load a file", "Sources, file formats, and the checks of a load"],
  ["refused", "When a load is refused", "Each refusal with its cure"],
  ["deploy", "Deploy one container", "With PostgreSQL inside or beside it, behind your proxy"],
  [
    "deploy-servers",
    "Deploy two servers",
    "Docker Compose, Caddy, and upgrades without an interruption",
  ],
  [
    "deploy-kubernetes",
    "Deploy on Kubernetes",
    "Manifests with probes, migrations and rolling updates",
  ],
  ["fetch", "Fetch daily", "Public files and services, downloaded and loaded by themselves"],
  ["accounts", "Accounts, tokens, plans", "Commands, sign-in and rate limits"],
  ["who-can", "Who can do what", "What each secret opens, and what nothing protects"],
  ["holders", "Link holders", "Links between holders of tenements and companies"],
  ["names", "Leave out names of persons", "Registers without the names of natural persons"],
  ["settings", "Settings", "Every environment variable"],
  ["backups", "Backups and upgrades", "pg_dump, or a copy of the directory"],
  ["monitoring", "Monitor and log", "Health, log, metrics, alerts"],
  ["scale", "Scale", "Processes, Redis, poolers, replicas, managed databases"],
])

/** Outside the menu: other pages link to these. */
export const background = pagesAt(guidePath, [
  ["architecture", "Architecture", "Invariants, the way of a request, migrations, dependencies"],
  ["benchmarks", "Benchmarks", "The last figures, and how to measure yourself"],
])

export const guide = [...userGuide, ...operatorGuide, ...background]

/** One for each group of operations in the API's description. */
export const referencePages = pagesAt(referencePath, [
  ["companies", "Companies", "Search, filter and order them; one company"],
  ["tenements", "Tenements", "By state, status, type and holder; one tenement"],
  ["subsidiaries", "Subsidiaries", "Of one company"],
  ["company-versions", "Company versions", "The history of one company"],
  ["tenement-versions", "Tenement versions", "The history of one tenement"],
  ["reports", "Announcements", "By company, type, day and title; one announcement"],
  ["report-versions", "Announcement versions", "The history of one announcement"],
  ["facets", "Facets", "The values of a field of a list, with counts"],
  ["releases", "Releases", "Numbers of records that each release changed"],
  ["sources", "Sources", "Origin, licence and age of the data"],
  ["usage", "Usage", "Your plan, your rate limit and your requests of the last day"],
])

const allEndpoints = pagesAt(
  () => "/docs/reference",
  [["", "All endpoints", "Every endpoint with its fields, parameters, errors and a real response"]],
)

export const docsGroups = [
  { title: "Use the data", pages: userGuide },
  { title: "Reference", pages: [...allEndpoints, ...referencePages] },
  { title: "Run the service", pages: operatorGuide },
]
