/** A company is found under its ordinary code and, from the release on in which one first held, a temporary one. */

import { expect, test } from "bun:test"
import { fileLoader } from "../loading/file-loader.ts"
import { barsOf, leadOf } from "../pages/page-reader.ts"
import { signedInVisitor } from "../pages/visitor.ts"
import { none } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { readList, readRecord } from "./bodies.ts"

const service = await serviceOfFile({ records: none })
const load = fileLoader(service)

async function publish(
  source: string,
  rows: string[],
  further: { observed?: string; removeMissingNow?: boolean } = {},
): Promise<number | null> {
  return (await load(source, { "rows.csv": rows }, { acceptShrink: true, ...further })).release
}

const directory = (day: number, ...rows: string[]) =>
  publish(
    "asx-directory",
    [
      "ASX code,Company name,GICs industry group,Listing date,Market Cap",
      ...rows,
      "QZB,QUARRY BETA NL,Energy,01/02/2003,5",
    ],
    { observed: `2026-02-0${day}` },
  )
const company = (code: string) => `${code},QUARRY ALPHA LIMITED,Materials,12/09/2018,7`

/** Release 1 is empty. */
const releases = { reports: 2, subsidiaries: 3, tenements: 4, ordinary: 5, temporary: 6, back: 7 }

const at = "2026-01-02T03:04:05Z"
await publish("reports", [
  "hash,asx_code,title,published_at",
  ...[`r1,QZADB,Temporary,${at}`, `r2,QZA,Ordinary,${at}`, `r3,QZB,Other,${at}`],
])
await publish("subsidiaries", ["id,name,parent_asx_code", "s1,Pits,QZADB", "s2,Mines,QZA"])
await publish("tenements", [
  "id,tenement_id,state,holder_name",
  ...["t1,E 1,WA,QUARRY ALPHA LTD; STRANGERS LTD", "t2,E 2,WA,MINES", "t3,E 3,WA,PITS"],
  "t4,E 4,WA,STRANGERS LTD",
])
expect(await directory(1, company("QZA"))).toBe(releases.ordinary)
expect(await directory(2, company("QZADB"))).toBe(releases.temporary)
expect(await directory(3, company("QZA"))).toBe(releases.back)
const person = await signedInVisitor(service, "admin@example.com")

const status = async (path: string) => (await service.get(path)).status
const keys = async (path: string) => {
  const { data, meta } = await readList(await service.get(path))
  expect([path, meta.total]).toEqual([path, data.length])
  return data.map((record) => record.hash ?? record.id ?? record.asx_code)
}

test("paths accept the temporary code from its first release on, also once it has ended", async () => {
  expect(await status(`/companies/QZADB?as_of=${releases.ordinary}`)).toBe(404)
  expect(await status(`/companies/QZADB/tenements?as_of=${releases.ordinary}`)).toBe(404)
  for (const release of [releases.temporary, releases.back]) {
    const records = ["QZADB", "qzadb", "QZA"].map(async (code) =>
      readRecord(await service.get(`/companies/${code}?as_of=${release}`)),
    )
    const [byTemporary, inLowerCase, byOrdinary] = await Promise.all(records)
    expect(byOrdinary).toMatchObject({ asx_code: "QZA", is_active: true, total_tenements: 3 })
    expect([byTemporary, inLowerCase]).toEqual([byOrdinary, byOrdinary])
  }
  expect(await status("/companies/QZBDB")).toBe(404)
})

test("a facet that a page of the explorer counted first has the records of all codes too", async () => {
  const page = await person.read("/explore/tenements?company=QZADB")
  expect(barsOf(page, "By state")).toMatchObject([{ label: "WA", records: 3 }])
  const { data } = await readList(await service.get("/facets/tenements/state?company=QZADB"))
  expect(data).toEqual([{ value: "WA", count: 3 }])
})

test("the lists of a company and the filters have the records of all its codes", async () => {
  for (const code of ["QZA", "QZADB"]) {
    for (const release of [releases.temporary, releases.back]) {
      const at = `as_of=${release}`
      expect(await keys(`/companies/${code}/tenements?${at}`)).toEqual(["t1", "t2", "t3"])
      expect(await keys(`/companies/${code}/subsidiaries?${at}`)).toEqual(["s2", "s1"])
      expect(await keys(`/reports?company=${code}&${at}`)).toEqual(["r1", "r2"])
    }
  }
  expect(await keys("/companies?search=zadb")).toEqual(["QZA"])
  const first = `as_of=${releases.ordinary}`
  expect(await keys(`/companies?search=zadb&${first}`)).toEqual([])
  expect(await keys(`/reports?company=QZA&${first}`)).toEqual(["r2"])
  expect(await keys(`/reports?company=QZADB&${first}`)).toEqual(["r1"])
  const { data } = await readList(await service.get("/reports?company=QZA"))
  expect(data.map(({ asx_code }) => asx_code)).toEqual(["QZADB", "QZA"])
})

/** In either order of the changes, for each two of the releases. */
async function expectExactCopies(list: string, releases: readonly number[]) {
  for (const since of releases) {
    const before = await keys(`${list}&as_of=${since}`)
    for (const until of releases.filter((release) => release > since)) {
      const [updated, removed] = [
        await keys(`${list}&as_of=${until}&updated_since=${since}`),
        await keys(`${list}&as_of=${until}&removed_since=${since}`),
      ]
      const copies = [
        [...before.filter((key) => !removed.includes(key)), ...updated],
        [...before, ...updated].filter((key) => !removed.includes(key)),
      ].map((copy) => [...new Set(copy)].sort())
      const expected = (await keys(`${list}&as_of=${until}`)).sort()
      expect([list, since, until, ...copies]).toEqual([list, since, until, expected, expected])
    }
  }
}

test("copies that are kept by changes follow when a temporary code begins and ends", async () => {
  const { ordinary, temporary, back } = releases
  const lists = ["/reports?company=QZA", "/reports?company=QZADB", "/companies?search=zadb"]
  for (const list of lists) await expectExactCopies(list, [ordinary, temporary, back])
  const added = `updated_since=${ordinary}&as_of=${temporary}`
  expect(await keys(`/reports?company=QZA&${added}`)).toEqual(["r1"])
  expect(await keys(`/reports?company=QZADB&${added}`)).toEqual(["r1", "r2"])
  expect(await keys(`/companies/QZADB/tenements?${added}`)).toEqual(["t1", "t2", "t3"])
  expect(await keys(`/companies/QZA/subsidiaries?${added}`)).toEqual(["s1"])
})

test("the history names the temporary code, and so does the company's page", async () => {
  const { data } = await readList(await service.get("/companies/QZADB/history"))
  expect(data.map(({ since_release, trading_as }) => [since_release, trading_as])).toEqual([
    [releases.back, null],
    [releases.temporary, "QZADB"],
    [releases.ordinary, null],
  ])
  expect(data.map(({ changed }) => changed)).toEqual([
    "trading_as",
    "total_tenements; trading_as",
    null,
  ])
  const lead = async (path: string) => leadOf(await person.read(`/explore/companies/${path}`))
  expect(await lead("QZADB?as_of=6")).toBe("Listed as QZA, trading as QZADB, at release 6")
  expect(await lead("QZADB")).toBe("Listed as QZA, at release 7")
})

test("a company that has the code of its own is found under it", async () => {
  const rows = ["asx_code,company_name,is_active", "QZADB,Strangers Limited,true"]
  const own = await publish("companies", rows)
  expect(await readRecord(await service.get("/companies/QZADB"))).toMatchObject({
    company_name: "Strangers Limited",
    total_tenements: 3,
  })
  expect(await keys("/reports?company=QZADB")).toEqual(["r1"])
  expect(await keys("/reports?company=QZA")).toEqual(["r2"])
  expect(await keys("/companies/QZADB/tenements")).toEqual(["t1", "t3", "t4"])
  expect(await keys(`/reports?company=QZADB&as_of=${releases.back}`)).toEqual(["r1", "r2"])
  expect(await keys(`/reports?company=QZA&removed_since=${releases.back}`)).toEqual(["r1"])
  expect(await keys(`/reports?company=QZADB&updated_since=${releases.back}`)).toEqual(["r1"])
  expect(own).toBe(releases.back + 1)
})

test("a temporary code means its company again once no company has it as its own", async () => {
  const rows = ["asx_code,company_name,is_active", "QZX,Strangers Limited,true"]
  const gone = await publish("companies", rows, { removeMissingNow: true })
  expect(gone).toBe(releases.back + 2)
  for (const code of ["QZA", "QZADB"]) {
    expect(await readRecord(await service.get(`/companies/${code}`))).toMatchObject({
      asx_code: "QZA",
      total_tenements: 3,
    })
    expect(await keys(`/companies/${code}/tenements`)).toEqual(["t1", "t2", "t3"])
    expect(await keys(`/reports?company=${code}`)).toEqual(["r1", "r2"])
  }
  const own = await service.get(`/companies/QZADB?as_of=${releases.back + 1}`)
  expect(await readRecord(own)).toMatchObject({ company_name: "Strangers Limited" })
})

test("copies that are kept by changes follow when a code goes to another company and returns", async () => {
  const { ordinary, temporary, back } = releases
  const changes = [temporary, back, back + 1, back + 2]
  const lists = ["/reports?company=", "/tenements?company="].flatMap((list) =>
    ["QZA", "QZADB"].map((code) => list + code),
  )
  for (const list of [...lists, "/companies?search=zadb"]) {
    await expectExactCopies(list, [ordinary, ...changes])
  }
  for (const list of ["subsidiaries", "tenements"]) {
    await expectExactCopies(`/companies/QZADB/${list}?per_page=9`, changes)
  }
  const removed = `as_of=${back + 1}&removed_since=${back}`
  expect(await keys(`/companies/QZADB/tenements?${removed}`)).toEqual(["t2"])
  expect(await keys(`/companies/QZADB/subsidiaries?${removed}`)).toEqual(["s2"])
  expect(await keys(`/reports?company=QZADB&${removed}`)).toEqual(["r2"])
})

test("the history of a company that changed its code names its successor, and so does its page", async () => {
  for (const day of [4, 5, 7]) {
    await publish(
      "asx-directory",
      [
        "ASX code,Company name,GICs industry group,Listing date,Market Cap",
        company("QZA"),
        "QZN,QUARRY BETA NL,Energy,01/02/2003,5",
      ],
      { observed: `2026-02-0${day}` },
    )
  }
  const { data } = await readList(await service.get("/companies/QZB/history"))
  expect(data.slice(0, 2)).toMatchObject([
    { is_active: false, successor: "QZN", changed: "is_active; successor" },
    { is_active: true, successor: null },
  ])
  expect(leadOf(await person.read("/explore/companies/QZB"))).toMatch(
    /^Listed as QZB, which went on as QZN, at release/,
  )
})
