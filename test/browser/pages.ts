/** Every page that a person can open, with an address of it that shows much. */
import { guide } from "../../src/web/pages/docs/pages.ts"

export type Who = "admin" | "standard" | "nobody"

export interface PageExample {
  /** As the app has it. */
  route: string
  /** `{token}` and `{watch}` stand for the ids of those that the tests' site has. */
  path: string
  /** The visitor who opens it; by default one without a session. */
  as?: Who
  /** 200 where it is left out. */
  status?: number
  /**
   * What it is an example of. These are given to axe too, which takes its time; the first of each kind
   * is also looked at in dark colours and walked through by keyboard.
   */
  kind?: Kind
}

/** What pages are made of: those of one kind have their elements and their style from the same code. */
type Kind =
  | "error"
  | "overview"
  | "list"
  | "map"
  | "record"
  | "tables"
  | "chart"
  | "form"
  | "guide"
  | "reference"

/** Of the guide: the one with the most code, that with the widest tables, and one of prose. */
const guideExamples = ["whole-lists", "google-sheets", "errors"]
const referenceExamples = ["subsidiaries", "usage"]

export const pages: readonly PageExample[] = [
  { route: "*", path: "/nothing-here", status: 404, kind: "error" },
  { route: "/", path: "/", kind: "overview" },
  { route: "/", path: "/?signed-in", as: "standard" },
  ...explorer([
    ["/tenements", "/explore/tenements", { kind: "list" }],
    ["/search", "/explore/search?q=min", { kind: "list" }],
    ["/search", "/explore/search?q=nothing+like+it"],
    ["/tenements", "/explore/tenements?state=nope", { status: 400, kind: "list" }],
    ["/tenements", "/explore/tenements?holder=nobody+of+this+name"],
    ["/tenements", "/explore/tenements?holder=quoted%22&expires_to=2030-12-31", { kind: "list" }],
    ["/companies", "/explore/companies"],
    ["/companies", "/explore/companies?sector=materials&sort=market_cap&order=desc"],
    ["/reports", "/explore/reports"],
    ["/reports", "/explore/reports?from=2026-02-01&as_of=1"],
    ["/holders", "/explore/holders?state=WA"],
    ["/holders/:name", "/explore/holders/BIG%20ORE%20LIMITED", { kind: "record" }],
    ["/changes", "/explore/changes"],
    ["/changes/:list", "/explore/changes/tenements"],
    ["/compare", "/explore/compare?codes=BIG"],
    ["/subsidiaries", "/explore/subsidiaries"],
    ["/map", "/explore/map", { kind: "map" }],
    ["/map", "/explore/map?near=-30.75,121.47,50"],
    ["/companies/:code", "/explore/companies/BIG", { kind: "record" }],
    ["/companies/:code", "/explore/companies/APO", { kind: "record" }],
    ["/companies/:code", "/explore/companies/NOPE", { status: 404 }],
    ["/companies/:code/tenements", "/explore/companies/BIG/tenements"],
    ["/companies/:code/subsidiaries", "/explore/companies/BIG/subsidiaries"],
    ["/tenements/:id", "/explore/tenements/WA-E47-1235", { kind: "record" }],
    ["/reports/:hash", "/explore/reports/a2", { kind: "record" }],
  ]),
  { route: "/account", path: "/account", as: "standard" },
  { route: "/account/tokens", path: "/account/tokens", as: "standard", kind: "tables" },
  { route: "/account/tokens", path: "/account/tokens", as: "admin" },
  { route: "/account/tokens/:id", path: "/account/tokens/{token}", as: "standard", kind: "form" },
  { route: "/account/watches", path: "/account/watches", as: "standard", kind: "tables" },
  {
    route: "/account/watches/new",
    path: "/account/watches/new?path=%2Ftenements%3Fstate%3DWA",
    as: "standard",
    kind: "form",
  },
  { route: "/account/watches/new", path: "/account/watches/new?path=/companies/BIG", as: "admin" },
  {
    route: "/account/watches/:id",
    path: "/account/watches/{watch}",
    as: "standard",
    kind: "tables",
  },
  { route: "/account/usage", path: "/account/usage", as: "standard", kind: "chart" },
  { route: "/account/audit", path: "/account/audit", as: "standard", kind: "tables" },
  { route: "/account/sessions", path: "/account/sessions", as: "standard" },
  { route: "/account/sign-in", path: "/account/sign-in", kind: "form" },
  { route: "/account/sign-in", path: "/account/sign-in", as: "standard" },
  { route: "/account/sign-up", path: "/account/sign-up" },
  { route: "/account/link", path: "/account/link?link=used", status: 410 },
  { route: "/account/unsubscribe", path: "/account/unsubscribe?token=unknown", status: 404 },
  { route: "/docs", path: "/docs", kind: "overview" },
  { route: "/docs/reference", path: "/docs/reference" },
  ...["companies", "tenements", "subsidiaries", "reports", "releases", "usage"].map((name) => ({
    route: "/docs/reference/:name",
    path: `/docs/reference/${name}`,
    ...(referenceExamples.includes(name) && { kind: "reference" as const }),
  })),
  ...guide.map(({ name, path }) => ({
    route: "/docs/guide/:name",
    path,
    ...(guideExamples.includes(name) && { kind: "guide" as const }),
  })),
  { route: "/docs/guide/:name", path: "/docs/guide/nothing", status: 404 },
]

function explorer(
  examples: readonly [route: string, path: string, others?: Pick<PageExample, "status" | "kind">][],
): PageExample[] {
  return examples.map(([route, path, others]) => ({
    route: `/explore${route}`,
    path,
    as: "admin",
    ...others,
  }))
}

/** What programs ask for, on paths beside those of the API, and what leads or downloads. */
export const forPrograms = [
  "/livez",
  "/readyz",
  "/metrics",
  "/assets/:file",
  "/docs.md",
  "/docs/guide/dashboard.json",
  "/docs/guide/alerts.yaml",
  "/llms.txt",
  "/explore/",
  "/openapi.json",
  "/docs/reference.md",
]
