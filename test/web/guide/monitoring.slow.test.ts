/**
 * The alert rules and the dashboard of the guide are well-formed and ask for metrics that the service has,
 * and each alert fires when it should and not before.
 */

import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import dashboard from "../../../src/web/guide/dashboard.json"
import { afterFile, directoryOfFile } from "../../support/of-file.ts"
import { serviceProcess } from "../../support/process.ts"
import { promtool, promtoolIsInstalled } from "../../support/promtool.ts"
import { serviceOfFile } from "../../support/service.ts"
import { freePort } from "../../support/supervised.ts"
import { textOf } from "./samples.ts"

interface Rule {
  alert: string
  expr: string
  for?: string
  labels: Record<string, string>
  annotations: { summary: string }
}

const page = await textOf("monitoring")
const rulesText = await Bun.file(
  new URL("../../../src/web/guide/alerts.yaml", import.meta.url),
).text()
const { groups } = Bun.YAML.parse(rulesText) as { groups: [{ rules: Rule[] }] }
const [{ rules }] = groups

const expressions = dashboard.panels.flatMap((panel) =>
  "targets" in panel ? (panel.targets ?? []).map(({ expr }) => expr) : [],
)

const dataDir = directoryOfFile()
const database = await serviceOfFile()
await database.sql`
  insert into sources (name, resource, last_loaded_at, last_observed_at, last_observed_is_known,
    last_outcome, last_release, last_changed_at, last_attempted_at)
  values ('asx-directory', 'companies', now(), now(), true, 'published', 1, now(), now())`
writeFileSync(join(dataDir, "sources.json"), "{}")
const service = await serviceProcess({
  DATABASE_URL: database.database.url,
  DATA_DIR: dataDir,
  FETCH_EVERY: "1",
  // A lost Redis has metrics too.
  REDIS_URL: `redis://127.0.0.1:${freePort()}`,
})
afterFile(service.stop)
await (await service.get("/companies", database.tokens.admin)).text()
const scrape = await (await fetch(`${service.url}/metrics`)).text()

/** Names of series in a text; those that are labels or functions are not followed by a selector. */
const metricsIn = (text: string): string[] => [
  ...new Set(text.match(/\b(?:mds|http|db|process)_[a-z_]+(?=[{[)]| *(?:[=<>/-]|$))/gm) ?? []),
]

/** The names that the series of a scrape have. */
const scraped = () =>
  new Set(scrape.split("\n").flatMap((line) => /^([a-z_]+)[{ ]/.exec(line)?.[1] ?? []))

test("Every metric of a rule is in a scrape", () => {
  const labels = ["http_route", "http_response_status_code", "db_client_connection_pool_name"]
  for (const { alert, expr } of rules) {
    const names = metricsIn(expr).filter((name) => !labels.includes(name))
    if (alert !== "MdsDown") expect([alert, names.length > 0]).toEqual([alert, true])
    expect([alert, names.filter((name) => !scraped().has(name))]).toEqual([alert, []])
  }
})

test("Every metric and label of the dashboard is in a scrape", () => {
  const ofVariables = dashboard.templating.list.flatMap(({ query }) =>
    typeof query === "object" ? [query.query] : [],
  )
  const labels = new Set([
    ...["job", "instance", "le"],
    ...[...scrape.matchAll(/([a-z_]+)="/g)].map(([, label]) => label),
  ])
  for (const expression of [...expressions, ...ofVariables]) {
    const names = expression.match(/[a-z_]+(?=\{)|(?<=label_values\()[a-z_]+/g) ?? []
    expect([expression, names.length > 0]).toEqual([expression, true])
    expect([expression, names.filter((name) => !scraped().has(name))]).toEqual([expression, []])
    const labelNames = [
      ...[...expression.matchAll(/([a-z_]+)=~?"/g)].map(([, label]) => label),
      ...[...expression.matchAll(/by \(([^)]+)\)/g)].flatMap(([, list]) => list?.split(", ")),
    ]
    expect([expression, labelNames.filter((label) => !labels.has(label))]).toEqual([expression, []])
  }
})

test("The service returns the alert rules and the dashboard unchanged", async () => {
  const alerts = await fetch(`${service.url}/docs/guide/alerts.yaml`)
  expect(alerts.headers.get("content-type")).toBe("application/yaml; charset=utf-8")
  expect(await alerts.text()).toBe(rulesText)
  const response = await fetch(`${service.url}/docs/guide/dashboard.json`)
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8")
  expect(await response.json()).toEqual(dashboard)
})

test("The page of monitoring has an action for each alert, and names every metric", () => {
  const runbook = [...page.matchAll(/^\| `(Mds\w+)` \| .{40,}\. \|$/gm)].map(([, alert]) => alert)
  expect(runbook).toEqual(rules.map(({ alert }) => alert))
  const families = [...scrape.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name ?? "")
  const documented = new Set([...page.matchAll(/^\| `.*?\|/gm)].join().match(/[a-z]+_[a-z_]+/g))
  expect(families.filter((name) => !documented.has(name))).toEqual([])
})

/** Series in promtool's notation: a value, and its step each minute for four hours. */
interface Case {
  series: Record<string, string>
  /** Of the alert, beside those of the rule. */
  labels?: Record<string, string>
  /** When it has fired, by default after fifteen minutes. */
  at?: string
}

const ofProcess = `{job="mds",instance="a"}`
const instance = { job: "mds", instance: "a" }
const source = { source: "wa", resource: "tenements" }
const requests = (status: number) =>
  `http_server_request_duration_seconds_count{job="mds",http_response_status_code="${status}"}`
const bucket = (name: string, labels: string, le: string) => `${name}_bucket{${labels},le="${le}"}`
const outcome = (value: string) =>
  `mds_source_last_outcome{source="wa",resource="tenements",outcome="${value}"}`
const loaded = 'mds_source_loaded_timestamp_seconds{source="wa",resource="tenements"}'
const slow = (le: string) =>
  bucket("http_server_request_duration_seconds", 'job="mds",http_route="/api/v1/companies"', le)
const delay = (le: string) => bucket("mds_event_loop_delay_seconds", 'instance="a"', le)
const job = { job: "mds" }
const mails = (value: string) =>
  `mds_watch_deliveries_total{job="mds",instance="a",channel="mail",outcome="${value}"}`
const role = `{role="replica"}`
const pool = { instance: "a", db_client_connection_pool_name: "pages" }
const refused = `mds_statements_rejected_total{instance="a",db_client_connection_pool_name="pages"}`

/** Series that make each alert fire, and series that come near and do not. */
const cases: Record<string, [fires: Case, quiet: Case]> = {
  MdsDown: [
    { series: { [`up${ofProcess}`]: "0x240" }, labels: instance },
    { series: { [`up${ofProcess}`]: "1x240" } },
  ],
  MdsNotReady: [
    { series: { [`mds_ready${ofProcess}`]: "0x240" }, labels: instance },
    { series: { [`mds_ready${ofProcess}`]: "1x240" } },
  ],
  MdsErrors: [
    {
      series: { [requests(200)]: "0+980x240", [requests(503)]: "0+20x240" },
      labels: { job: "mds" },
    },
    { series: { [requests(200)]: "0+995x240", [requests(503)]: "0+5x240" } },
  ],
  MdsSlow: [
    {
      series: { [slow("0.5")]: "0+90x240", [slow("1")]: "0+100x240", [slow("+Inf")]: "0+100x240" },
      labels: { job: "mds" },
      at: "20m",
    },
    {
      series: { [slow("0.5")]: "0+96x240", [slow("1")]: "0+100x240", [slow("+Inf")]: "0+100x240" },
    },
  ],
  MdsStatementsRefused: [
    { series: { [refused]: "0+1x240" }, labels: pool },
    { series: { [refused]: "7x240" } },
  ],
  MdsExportsRefused: [
    {
      series: { 'mds_exports_total{instance="a",outcome="refused"}': "0+1x240" },
      labels: { instance: "a" },
    },
    { series: { 'mds_exports_total{instance="a",outcome="complete"}': "0+1x240" } },
  ],
  MdsRedisLost: [
    { series: { [`mds_redis_up${ofProcess}`]: "0x240" }, labels: instance },
    { series: { [`mds_redis_up${ofProcess}`]: "1x240" } },
  ],
  MdsNotificationsLost: [
    { series: { [`mds_notifications_listening${ofProcess}`]: "0x240" }, labels: instance },
    { series: { [`mds_notifications_listening${ofProcess}`]: "0 0 0 1x240" } },
  ],
  MdsDatabaseLost: [
    { series: { [`mds_database_up${role}`]: "0x240" }, labels: { role: "replica" } },
    { series: { [`mds_database_up${role}`]: "1x240" } },
  ],
  MdsSourceRefused: [
    { series: { [outcome("refused")]: "1x240" }, labels: source, at: "70m" },
    { series: { [outcome("refused")]: "0x240", [outcome("published")]: "1x240" }, at: "70m" },
  ],
  MdsSourceFailed: [
    { series: { [outcome("failed")]: "1x1600" }, labels: source, at: "25h" },
    { series: { [outcome("failed")]: "1x1600" }, at: "23h" },
  ],
  // Its clock begins at 0, and eight days have 691,200 seconds.
  MdsSourceNotLoaded: [
    { series: { [loaded]: "-691000x240" }, labels: source },
    { series: { [loaded]: "-690000x240" } },
  ],
  MdsWatchesLate: [
    { series: { [`mds_watches_oldest_due_seconds${ofProcess}`]: "601x240" }, labels: job },
    { series: { [`mds_watches_oldest_due_seconds${ofProcess}`]: "599x240" } },
  ],
  MdsWatchMailsFailed: [
    {
      series: { [mails("failed")]: "0+2x240", [mails("delivered")]: "0+1x240" },
      labels: job,
      at: "20m",
    },
    { series: { [mails("failed")]: "0+1x240", [mails("delivered")]: "0+2x240" }, at: "20m" },
  ],
  MdsLogDropped: [
    { series: { [`mds_log_lines_dropped_total${ofProcess}`]: "0+5x240" }, labels: instance },
    { series: { [`mds_log_lines_dropped_total${ofProcess}`]: "5x240" } },
  ],
  MdsEventLoopDelayed: [
    {
      series: {
        [delay("0.1")]: "0+580x240",
        [delay("0.25")]: "0+600x240",
        [delay("+Inf")]: "0+600x240",
      },
      labels: { instance: "a" },
      at: "20m",
    },
    {
      series: {
        [delay("0.1")]: "0+599x240",
        [delay("0.25")]: "0+600x240",
        [delay("+Inf")]: "0+600x240",
      },
      at: "20m",
    },
  ],
  MdsMemory: [
    {
      series: { [`process_resident_memory_bytes${ofProcess}`]: "950000000x240" },
      labels: instance,
    },
    { series: { [`process_resident_memory_bytes${ofProcess}`]: "300000000x240" } },
  ],
}

/** promtool's unit tests. JSON is YAML too. */
const unitTests = (isQuiet: boolean): string =>
  JSON.stringify({
    rule_files: ["rules.yml"],
    evaluation_interval: "1m",
    tests: rules.map(({ alert: alertname, labels, annotations }) => {
      const [fires, quiet] = cases[alertname] ?? []
      const { series = {}, labels: own = {}, at = "15m" } = (isQuiet ? quiet : fires) ?? {}
      const fired = { exp_labels: { ...labels, ...own }, exp_annotations: annotations }
      return {
        interval: "1m",
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        alert_rule_test: [{ eval_time: at, alertname, exp_alerts: isQuiet ? [] : [fired] }],
      }
    }),
  })

test.skipIf(!promtoolIsInstalled)("The tool promtool accepts the rules", () => {
  const { exitCode, output } = promtool(["check", "rules", "rules.yml"], { "rules.yml": rulesText })
  expect([exitCode, output]).toEqual([0, expect.stringContaining(`${rules.length} rules found`)])
})

test.skipIf(!promtoolIsInstalled).each([
  ["fires when it should", false],
  ["does not fire when it should not", true],
])("Each alert %s", (_, isQuiet) => {
  const files = { "rules.yml": rulesText, "tests.yml": unitTests(isQuiet) }
  const { exitCode, output } = promtool(["test", "rules", "tests.yml"], files)
  expect([exitCode, output]).toEqual([0, expect.stringContaining("SUCCESS")])
  expect(Object.keys(cases)).toEqual(rules.map(({ alert }) => alert))
})

test.skipIf(!promtoolIsInstalled)(
  "The tool promtool accepts a scrape except for one OpenTelemetry name",
  () => {
    const { output } = promtool(["check", "metrics"], {}, scrape)
    expect(output.trim().split("\n")).toEqual([
      'db_client_connection_count non-histogram and non-summary metrics should not have "_count" suffix',
    ])
  },
)
