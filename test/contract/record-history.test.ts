/** The versions of one record: `…/history`. */

import { expect, test } from "bun:test"
import { prune } from "../../src/ingest/loading/prune.ts"
import { fileLoader } from "../ingest/loading/file-loader.ts"
import { none } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { readList } from "./bodies.ts"

const service = await serviceOfFile({ records: none })
const load = fileLoader(service)

const columns = "id,tenement_id,state,status,type,holder_name,grant_date,expiry_date,area_km2"
const holder = "FIRST GOLD PTY LTD"
const row = (id: string, status: string, area: string, by = holder) =>
  `${id},E47/1,WA,${status},exploration,${by},2021-05-17,,${area}`

/** Loads the rows as the whole of the own-column source, from a file of that name. */
async function loadTenements(name: string, rows: readonly string[]): Promise<void> {
  await loadFile("tenements", name, [columns, ...rows], observedAt(name))
}

const loadFile = (
  source: string,
  name: string,
  lines: readonly string[],
  observed?: string,
): Promise<unknown> => load(source, { [name]: lines }, { acceptShrink: true, observed })

/** File a is of the first day of 2026, file b of the second, and so on. */
const observedAt = (name: string) => `2026-01-0${"_abcdefg".indexOf(name[0] ?? "")}T00:00:00Z`

/** Release n was published in the nth minute of 2026-02-01. */
const dateReleases = () =>
  service.sql`update releases set published_at = timestamptz '2026-02-01T00:00:00Z' + id * interval '1 minute'`

const at = (release: number) => `2026-02-01T00:0${release}:00Z`

// Releases 2 to 5: added, changed twice, removed.
const other = row("WA-E47-2", "granted", "1")
await loadTenements("a.csv", [row("WA-E47-1", "pending", ""), other])
await loadTenements("b.csv", [row("WA-E47-1", "granted", "12.5"), other])
await loadTenements("c.csv", [row("WA-E47-1", "granted", "12.5", "SECOND GOLD PTY LTD"), other])
await loadTenements("d.csv", [other])
await dateReleases()

const record = {
  id: "WA-E47-1",
  tenement_id: "E47/1",
  state: "WA",
  status: "granted",
  type: "exploration",
  holder_name: holder,
  grant_date: "2021-05-17",
  expiry_date: null,
  area_km2: 12.5,
}
/** The version of one release, until the next. */
const version = (since: number, file: string, changed: string | null, others: object = {}) => ({
  since_release: since,
  since: at(since),
  until_release: since + 1,
  until: at(since + 1),
  source: "tenements",
  files: file,
  observed_at: observedAt(file),
  changed,
  ...record,
  ...others,
})
const newest = version(4, "c.csv", "holder_name", { holder_name: "SECOND GOLD PTY LTD" })
const middle = version(3, "b.csv", "status; area_km2")
const oldest = version(2, "a.csv", null, { status: "pending", area_km2: null })

const path = "/tenements/WA-E47-1/history"

test("The history of a removed record has its versions newest first, with their source and changes", async () => {
  expect((await service.get("/tenements/WA-E47-1")).status).toBe(404)
  const response = await service.get(path)
  const meta = { total: 3, page: 1, per_page: 50, total_pages: 1 }
  expect(await response.text()).toBe(JSON.stringify({ data: [newest, middle, oldest], meta }))
  expect(response.headers.get("x-data-release")).toBe("5")
})

test("At an earlier release the history has the versions up to that release", async () => {
  const { data } = await readList(await service.get(`${path}?as_of=3`))
  expect(data).toEqual([{ ...middle, until_release: null, until: null }, oldest])
  const before = await service.get(`${path}?as_of=1`)
  expect(before.status).toBe(404)
})

test("A record that never existed has no history in any format", async () => {
  for (const name of ["updated_since", "removed_since"]) {
    expect((await service.get(`${path}?${name}=2`)).status).toBe(400)
  }
  for (const unknown of [
    "/tenements/WA-E47-9/history",
    "/companies/NONE/history",
    "/reports/00/history",
    "/tenements/WA-E47-9/history?format=csv&all=true",
    "/tenements/%00/history",
  ]) {
    const response = await service.get(unknown)
    expect([unknown, response.status, await response.text()]).toEqual([
      unknown,
      404,
      '{"error":{"code":"NOT_FOUND","message":"Resource not found"}}',
    ])
  }
})

test("The history of a restored record has a gap and its changes since the removal; a later page stays on the release of page 1", async () => {
  const page = async (number: number) =>
    (await readList(await service.get(`${path}?per_page=1&page=${number}`))).data
  expect(await page(1)).toEqual([newest])
  await loadTenements("e.csv", [row("WA-E47-1", "granted", "12.5"), other])
  await dateReleases()
  expect([await page(2), await page(3)]).toEqual([[middle], [oldest]])
  const back = { ...version(6, "e.csv", "holder_name"), until_release: null, until: null }
  expect((await readList(await service.get(path))).data).toEqual([back, newest, middle, oldest])
  // While it was removed, its last version had ended.
  expect((await service.get("/tenements/WA-E47-1?as_of=5")).status).toBe(404)
  const gone = await readList(await service.get(`${path}?as_of=5`))
  expect(gone.data).toEqual([newest, middle, oldest])
})

test("A company's history accepts any case of its code and includes changes by other sources", async () => {
  await loadFile("companies", "companies.csv", [
    "asx_code,company_name,market_cap_aud,gics_sector,gics_industry_group,is_active",
    "FGD,FOURTH GOLD LIMITED,1000,Materials,Materials,true",
  ])
  await loadFile("subsidiaries", "subsidiaries.csv", [
    "id,name,parent_asx_code,country,ownership_percentage",
    "s1,FOURTH HOLDINGS PTY LTD,FGD,Australia,100",
  ])
  await loadTenements("f.csv", [row("WA-E47-3", "granted", "1", "FOURTH HOLDINGS PTY LTD")])
  const { data } = await readList(await service.get("/companies/fgd/history"))
  expect(data).toMatchObject([
    { source: "tenements", files: "f.csv", changed: "total_tenements", total_tenements: 1 },
    { source: "companies", changed: null, total_tenements: 0 },
  ])
})

test("A corrected report has both versions", async () => {
  const report = (title: string) => [
    "hash,asx_code,title,type,published_at,url",
    `r1,FGD,${title},Assays,2026-01-02T03:04:05Z,`,
  ]
  await loadFile("reports", "first.csv", report("First assays"))
  await loadFile("reports", "second.csv", report('"First assays, corrected"'))
  const { data } = await readList(await service.get("/reports/r1/history"))
  expect(data).toMatchObject([
    { files: "second.csv", changed: "title", published_at: "2026-01-02T03:04:05Z" },
    { files: "first.csv", changed: null, title: "First assays" },
  ])
})

test("A version in which only links changed names no changed field", async () => {
  await loadTenements("g.csv", [row("WA-E47-4", "granted", "1", "THIRD GOLD PTY LTD")])
  await loadFile("companies", "companies.csv", [
    "asx_code,company_name,market_cap_aud,gics_sector,gics_industry_group,is_active",
    "FGD,FOURTH GOLD LIMITED,1000,Materials,Materials,true",
    "TGD,THIRD GOLD PTY LTD,1000,Materials,Materials,true",
  ])
  const { data } = await readList(await service.get("/tenements/WA-E47-4/history"))
  expect(data).toMatchObject([
    { source: "companies", changed: "" },
    { source: "tenements", changed: null },
  ])
})

test("A version names the files that it came from", async () => {
  const tenements = (name: string, ...rows: string[]) => ({ [name]: [columns, ...rows] })
  const held = (id: string, area: string) => row(id, "granted", area, "FOURTH HOLDINGS PTY LTD")
  const filesOf = async (path: string) =>
    (await readList(await service.get(`${path}/history`))).data.map(({ files }) => files)
  await load(
    "tenements",
    {
      ...tenements("h1.csv", held("WA-E47-5", "1"), held("WA-E47-6", "1")),
      ...tenements("h2.csv", held("WA-E47-7", "1")),
    },
    { acceptShrink: true },
  )
  expect(await filesOf("/tenements/WA-E47-6")).toEqual(["h1.csv"])
  expect(await filesOf("/tenements/WA-E47-7")).toEqual(["h2.csv"])
  expect((await filesOf("/companies/FGD"))[0]).toBe("h1.csv; h2.csv")
  // The rows move to other files, and one of them changes.
  await load(
    "tenements",
    {
      ...tenements("i1.csv", held("WA-E47-7", "2")),
      ...tenements("i2.csv", held("WA-E47-5", "1"), held("WA-E47-6", "1")),
    },
    { acceptShrink: true },
  )
  expect(await filesOf("/tenements/WA-E47-6")).toEqual(["h1.csv"])
  expect(await filesOf("/tenements/WA-E47-7")).toEqual(["i1.csv", "h2.csv"])
  await loadFile("subsidiaries", "moved.csv", [
    "id,name,parent_asx_code,country,ownership_percentage",
    "s2,FIFTH HOLDINGS PTY LTD,FGD,Australia,100",
  ])
  expect(await filesOf("/tenements/WA-E47-7")).toEqual(["moved.csv", "i1.csv", "h2.csv"])
})

test("Pruning shortens the history, and changes its entity tag", async () => {
  const corrected = "/reports/r1/history"
  const [release] = await service.sql`select max(id) as newest from releases`
  await service.sql`update releases set published_at = date_trunc('second', now()) - (${release?.newest} - id) * interval '25 hours'`
  service.clock.now = new Date(Date.now() + 60_000)
  const ask = (tag?: string | null) =>
    service.get(corrected, { headers: tag ? { "If-None-Match": tag } : {} })
  const before = await ask()
  expect((await readList(before)).data).toHaveLength(2)
  const tag = before.headers.get("etag")
  expect((await ask(tag)).status).toBe(304)
  await prune(service.database.url, 0)
  const after = await ask(tag)
  expect(after.status).toBe(200)
  // What came before is no longer known, and so what changed is not.
  expect((await readList(after)).data).toMatchObject([{ files: "second.csv", changed: null }])
})
