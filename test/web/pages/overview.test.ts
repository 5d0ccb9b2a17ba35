/** The overview shows the state of the data at the newest release, and reads it once for each release. */
import { expect, test } from "bun:test"
import type { LoadOptions } from "../../../src/ingest/loading/load-options.ts"
import { formatSummary } from "../../../src/ingest/loading/summary.ts"
import { fileLoader } from "../../ingest/loading/file-loader.ts"
import { none } from "../../support/fixtures.ts"
import { afterFile, directoryOfFile } from "../../support/of-file.ts"
import { relayTo, statementObserver } from "../../support/relay.ts"
import { serviceOfFile } from "../../support/service.ts"
import { until } from "../../support/until.ts"
import { cellsOf, factsOf, linkTo, textOf } from "./page-reader.ts"
import { signedInVisitor } from "./visitor.ts"

const browser = { Accept: "text/html" }

/** The statements on data that pass the relay, without those of housekeeping. */
const statements: string[] = []
const isOnData = (text: string) =>
  /"(?:companies|tenements|subsidiaries|reports)"|"manifest"/.test(text)

const database = await serviceOfFile({ records: none })
const { hostname, port } = new URL(database.database.url)
const relay = await relayTo(
  { hostname, port: Number(port || 5432) },
  statementObserver((text) => {
    if (isOnData(text)) statements.push(text)
  }),
)
const through = new URL(database.database.url)
through.hostname = "127.0.0.1"
through.port = String(relay.port)
afterFile(relay.stop)
const service = await serviceOfFile({ beside: database, reach: () => through.href })
const rejectsDir = directoryOfFile()

const openOverview = async (): Promise<string> => {
  const response = await fetch(`${service.url}/`, { headers: browser })
  expect(response.status).toBe(200)
  return response.text()
}

const load = fileLoader(database)
const loadFile = (source: string, name: string, content: string, options?: Partial<LoadOptions>) =>
  load(source, { [name]: content.trimEnd().split("\r\n") }, { rejectsDir, ...options })

const labels = ["Active companies", "Tenements", "Subsidiaries", "Announcements"]
const figuresIn = (page: string) => labels.map((label) => factsOf(page)[label])

test("The page says that the database is empty, and how to load data", async () => {
  await database.sql`delete from releases`
  await until(async () => (await openOverview()).includes("There is no data yet"))
  const page = await openOverview()
  expect(page).toContain("bun run mds load SOURCE FILE")
  expect(page).toContain(`href="/docs/guide/first-hour"`)
  expect(figuresIn(page)).toEqual(labels.map(() => undefined))
})

test("The page has the counts of each resource, and the latest load of each source", async () => {
  await loadFile(
    "companies",
    "companies.csv",
    "asx_code,company_name,is_active\r\nAAA,Alpha,true\r\nBBB,Beta <b>,true\r\nCCC,Gone,false\r\n",
  )
  const rows = Array.from({ length: 1200 }, (_, index) => `t-${index},E1/${index},WA`)
  await loadFile(
    "tenements",
    "tenements <1>.csv",
    ["id,tenement_id,state", ...rows, "bad,E1/1,XX", ""].join("\r\n"),
  )
  const changed = await loadFile(
    "companies",
    "later.csv",
    "asx_code,company_name,is_active\r\nAAA,Alpha,true\r\nBBB,Beta,true\r\nCCC,Gone,false\r\n",
  )
  const page = await openOverview()
  expect(figuresIn(page)).toEqual(["2", "1,200", "0", "0"])
  expect(page).toContain(`Release ${changed.release} was published on`)
  const release = changed.release ?? 0
  expect(linkTo(page, String(release))).toBe(
    `/explore/changes?since=${release - 1}&as_of=${release}`,
  )
  const rowsOfPage = cellsOf(page).map((cells) => cells.join(" | "))
  expect(rowsOfPage.map((row) => row.replaceAll(/\d{4}-\d\d-\d\d( in \d+ days)?/g, "DAY"))).toEqual(
    [
      "companies Companies | 3 | 0 | 0 | 3 | DAY | DAY | later.csv",
      "tenements Tenements | 1,200 | 0 | 1 | 2 | DAY | DAY | tenements <1>.csv",
    ],
  )
})

test("The page has the share of each state's tenements that is linked to a company", async () => {
  const page = await openOverview()
  expect(textOf(page)).toContain("Tenements linked to a company WA 0%")
  const rows = [
    "q-1,EPM 1,QLD,ALPHA",
    "q-2,EPM 2,QLD,Nobody PTY LTD",
    "q-3,EPM 3,QLD,",
    "s-1,EL 1,SA,beta",
  ]
  const csv = ["id,tenement_id,state,holder_name", ...rows, ""].join("\r\n")
  await loadFile("tenements", "linked.csv", csv, { partial: true })
  expect(textOf(await openOverview())).toContain(
    "Tenements linked to a company SA 100% QLD 33.3% WA 0% Linked share of tenements held by a company SA 100% QLD 50%",
  )
})

test("The page tells accounts of the plan admin alone what known groups would link", async () => {
  const companies = "asx_code,company_name,is_active\r\nBHP,BHP Group Limited,true\r\n"
  await loadFile("companies", "groups.csv", companies, { partial: true })
  const rows = "id,tenement_id,state,holder_name\r\ns-2,EL 2,SA,BHP Minerals Pty Ltd\r\n"
  await loadFile("tenements", "groups.csv", rows, { partial: true })
  const seenBy = async (email: string) =>
    textOf(await (await signedInVisitor(service, email)).read("/"))
  expect(await seenBy("admin@example.com")).toContain(
    'Known groups: 1 more tenement can be linked, from 0.2% to 0.2% of all. Run mds holders confirm --reason "known group"',
  )
  expect(await seenBy("standard@example.com")).not.toContain("Known groups")
  expect(textOf(await openOverview())).not.toContain("Known groups")
  await database.sql`insert into link_decisions (holder_key, holder, asx_code, is_right)
    select holder_key, holder, asx_code, false from suggested_links`
  service.clock.advance(1_000)
  expect(await seenBy("admin@example.com")).not.toContain("Known groups")
})

test("A failed load keeps the time of the last success, and a source without success is absent", async () => {
  await loadFile("sa", "leases.csv", "LABEL,LICENCEES\r\n").catch(() => {})
  await database.sql`update sources set licence = 'CC BY <4.0>', attribution = '© A & B',
    last_loaded_at = ${new Date(service.clock.now.getTime() - 3 * 86_400_000)} where name = 'tenements'`
  await loadFile("tenements", "other.csv", "no,such,columns\r\n").catch(() => {})
  service.clock.advance(1_000)
  const page = await openOverview()
  expect(cellsOf(page).map(([source]) => source)).toEqual([
    "companies Companies",
    "tenements Tenements",
  ])
  expect(cellsOf(page)[1]?.[5]).toMatch(
    /^\d{4}-\d\d-\d\d 3 days ago later load refused the files cannot be read$/,
  )
  expect(page).toContain("<code>tenements</code>: © A &amp; B. Licence: CC BY &lt;4.0&gt;")
  await loadFile("tenements", "faulty.csv", "id,tenement_id,state\r\nx,E 1,Mars\r\n").catch(
    () => {},
  )
  service.clock.advance(1_000)
  expect(cellsOf(await openOverview())[1]?.[5]).toEndWith(
    "later load refused every row was rejected, 1 in all",
  )
  await database.sql`update sources set last_outcome = 'failed' where name = 'tenements'`
  service.clock.advance(1_000)
  expect(cellsOf(await openOverview())[1]?.[5]).toContain("later fetch failed")
  await database.sql`delete from sources where name = 'sa'`
})

test("The page shows each publisher's attribution once", async () => {
  const registers = await database.sql`
    insert into sources (name, resource, last_loaded_at, last_outcome, last_release, licence, attribution) values
      ('nsw', 'tenements', now(), 'published', 1, 'CC BY 4.0', '© The state.'),
      ('tas', 'tenements', now(), 'published', 1, null, '© Who names no licence'),
      ('vic', 'tenements', now(), 'published', 1, 'CC BY 4.0', '© The state.'),
      ('wa', 'tenements', now(), 'published', 1, 'Its own', null)
    returning name`
  service.clock.advance(1_000)
  const page = await openOverview()
  const shown = [...page.matchAll(/<p class="muted small">(.*?)<\/p>/gs)].map(([, text]) => text)
  expect(shown.filter((text) => !text?.includes("tenements"))).toEqual([
    "<code>nsw</code>, <code>vic</code>: © The state. Licence: CC BY 4.0",
    "<code>tas</code>: © Who names no licence",
    "<code>wa</code>: Licence: Its own",
  ])
  await database.sql`delete from sources where name in ${database.sql(registers.map(({ name }) => name))}`
  service.clock.advance(1_000)
})

test("The page names the kind of a source's records in words", async () => {
  await database.sql`insert into sources (name, resource, last_loaded_at, last_outcome, last_release)
    values ('declared-tenements', 'declared_tenements', now(), 'published', 1)`
  service.clock.advance(1_000)
  const kinds = cellsOf(await openOverview()).map(([source]) => source)
  expect(kinds).toContain("declared-tenements Declared tenements")
  await database.sql`delete from sources where name = 'declared-tenements'`
  service.clock.advance(1_000)
})

test("Each count links to its list, and a sample request comes last", async () => {
  const page = await openOverview()
  for (const [index, path] of ["companies", "tenements", "subsidiaries", "reports"].entries()) {
    expect(linkTo(page, labels[index] ?? "")).toBe(`/explore/${path}`)
  }
  expect(page.indexOf("Try a request")).toBeGreaterThan(page.indexOf("Where the data comes from"))
  const [, line = ""] = /<code id="try">(.*?)<\/code>/s.exec(page) ?? []
  const command = line
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .replace("YOUR_TOKEN", service.tokens.admin)
  const curl = Bun.spawn(["sh", "-c", `${command} --silent --fail`], {
    stdout: "pipe",
  })
  expect(await new Response(curl.stdout).json()).toMatchObject({ meta: { per_page: 5 } })
})

test("While reading fails, the page reads the database once in a second", async () => {
  const statusOf = async () => (await fetch(`${service.url}/`, { headers: browser })).status
  await database.sql`alter table sources rename to moved`
  service.clock.advance(1_000)
  expect(await statusOf()).toBe(500)
  statements.length = 0
  for (let visitor = 0; visitor < 10; visitor++) expect(await statusOf()).toBe(500)
  expect(statements).toEqual([])
  await database.sql`alter table moved rename to sources`
  service.clock.advance(1_000)
  expect(await statusOf()).toBe(200)
})

test("The page reads the database once for each release", async () => {
  await openOverview()
  statements.length = 0
  const pages = await Promise.all(Array.from({ length: 50 }, openOverview))
  expect(new Set(pages).size).toBe(1)
  expect(statements).toEqual([])

  await loadFile(
    "reports",
    "reports.csv",
    "hash,asx_code,title,published_at\r\nr,AAA,T,2026-01-01T00:00:00Z\r\n",
  )
  statements.length = 0
  const after = await Promise.all(Array.from({ length: 50 }, openOverview))
  expect(figuresIn(after.at(-1) ?? "").at(-1)).toBe("1")
  const counts = statements.filter((text) => /\bcount\(/i.test(text))
  expect(counts).toHaveLength(4)
  expect(statements).toHaveLength(5)
})

test("Data of files without a date is of an unknown day, until they are loaded again with their date", async () => {
  await database.sql`update sources set last_observed_is_known = false`
  const rows = "fmt_tenid,type,tenstatus,holder1\r\nE 47/1,EXPLORATION LICENCE,LIVE,ALPHA"
  const dataAsOf = async () => {
    service.clock.advance(60_000)
    const page = await openOverview()
    return [
      cellsOf(page).at(-1)?.[6],
      /Release \d+ ?\. Published [^;]*?(; [^;]*)? Documentation/.exec(textOf(page))?.[1] ?? "",
    ]
  }
  const summary = await loadFile("wa", "wa_2021-05-04.csv", rows)
  expect(await dataAsOf()).toEqual(["unknown", ""])
  const [, day = ""] = /--observed (\S+)$/m.exec(formatSummary(summary)) ?? []
  await loadFile("wa", "wa_2021-05-04.csv", rows, { observed: day })
  expect(await dataAsOf()).toEqual(["2021-05-04", "; newest file of 4 May 2021"])
})
