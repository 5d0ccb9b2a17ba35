/**
 * `as_of` reads any release that is kept, and `updated_since` and `removed_since` list what changed
 * after one (`src/web/guide/copies.md`).
 */

import { expect, test } from "bun:test"
import { withSnapshot } from "../../src/data/db/connection.ts"
import { newestReleases } from "../../src/data/db/release-files.ts"
import { resourceNames } from "../../src/data/resources/resource.ts"
import { fileLoader } from "../ingest/loading/file-loader.ts"
import { none } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { faultsOf, readList, releaseOf } from "./bodies.ts"

/** One release a day, from the second of January 2026 on; release 1, on the first, is empty. */
const days: [source: string, ...rows: string[]][] = [
  ["companies", "asx_code,company_name,is_active", "AAA,Alpha Mining Ltd,true", "BBB,Beta NL,true"],
  [
    "tenements",
    "id,tenement_id,state,holder_name",
    "T1,E1/1,WA,ALPHA MINING LIMITED",
    "T2,E1/2,WA,B",
  ],
  ["tenements", "id,tenement_id,state,holder_name", "T1,E1/1,WA,Beta NL", "T3,E1/3,SA,Beta NL"],
  ["companies", "asx_code,company_name,is_active", "AAA,Alpha Gold Ltd,true"],
]

const service = await serviceOfFile({ records: none, now: new Date("2026-01-10T12:00:00Z") })
const load = fileLoader(service)
for (const [source, ...rows] of days) {
  await load(source, { "rows.csv": rows }, { acceptShrink: true })
}
await service.sql`update releases set published_at = '2026-01-01T10:00:00Z'::timestamptz + (id - 1) * interval '1 day'`

const list = async (path: string) => {
  const response = await service.get(path)
  expect(response.status).toBe(200)
  const { data } = await readList(response)
  return { release: releaseOf(response), data }
}
const ids = async (path: string, key: string) => (await list(path)).data.map((each) => each[key])

test("A list as of each release has the records of that release", async () => {
  const held = [[], [], ["T1", "T2"], ["T1", "T3"], ["T1", "T3"]]
  for (const [index, expected] of held.entries()) {
    const { release, data } = await list(`/tenements?as_of=${index + 1}`)
    expect([release, data.map(({ id }) => id)]).toEqual([index + 1, expected])
  }
  expect(await ids("/companies?as_of=2", "company_name")).toEqual(["Alpha Mining Ltd", "Beta NL"])
  expect(await ids("/companies?as_of=5", "company_name")).toEqual(["Alpha Gold Ltd"])
})

test("Links and totals belong to the same release as the list", async () => {
  const totals = await Promise.all(
    [2, 3, 4].map((release) => ids(`/companies?as_of=${release}`, "total_tenements")),
  )
  expect(totals).toEqual([
    [0, 0],
    [1, 0],
    [0, 2],
  ])
  expect(await ids("/companies/AAA/tenements?as_of=3", "id")).toEqual(["T1"])
  expect(await ids("/companies/AAA/tenements?as_of=4", "id")).toEqual([])
  expect((await service.get("/companies/BBB/tenements?as_of=5")).status).toBe(404)
})

test("A record is found as of the releases that had it, and not found before and after", async () => {
  const statuses = []
  for (const as_of of [0, 2, 3, 4]) {
    statuses.push((await service.get(`/tenements/T2?as_of=${as_of}`)).status)
  }
  expect(statuses).toEqual([404, 404, 200, 404])
  expect((await service.get("/tenements/T2")).status).toBe(404)
})

test.each([
  ["2026-01-03", "3"],
  ["2026-01-03T09:59:59Z", "2"],
  ["2026-01-03T10:00:00Z", "3"],
  ["2026-01-03T20:00:00%2B10:00", "3"],
  ["2026-01-10", "5"],
  ["2026-01-10T11:59:58Z", "5"],
  ["2025-12-31", "0"],
  ["0", "0"],
])("The parameter as_of=%s selects release %s", async (asOf, release) => {
  const response = await service.get(`/tenements?as_of=${asOf}`)
  expect([response.status, response.headers.get("x-data-release")]).toEqual([200, release])
  expect((await readList(response)).data.length).toBe(Number(release) < 3 ? 0 : 2)
})

test.each([
  "2026-01-11",
  "2026-01-10T12:00:01Z",
  "6",
  "yesterday",
  "2026-02-30",
  "-1",
  "2026-01-03T10:00:00",
])("The parameter as_of=%s is invalid", async (asOf) => {
  for (const path of ["/tenements", "/tenements/T1", "/releases"]) {
    const faults = await faultsOf(service, `${path}?as_of=${asOf}`)
    expect(faults).toMatchObject([{ parameter: "as_of" }])
  }
})

test("A date-time less than 2 seconds ago is rejected, since a release may still get that date", async () => {
  const message = "Must be at least 2 seconds ago: wait, or send a release number"
  for (const parameter of ["as_of", "updated_since", "removed_since"]) {
    for (const time of ["12:00:00Z", "11:59:58.001Z", "21:59:59%2B10:00"]) {
      const path = `/tenements?${parameter}=2026-01-10T${time}`
      expect(await faultsOf(service, path)).toEqual([{ parameter, message }])
    }
    for (const settled of ["2026-01-10T11:59:58Z", "2026-01-10", "5"]) {
      const { status } = await service.get(`/tenements?${parameter}=${settled}`)
      expect([parameter, settled, status]).toEqual([parameter, settled, 200])
    }
  }
})

test("The filter updated_since lists added and changed records, and removed_since removed ones", async () => {
  expect(await ids("/tenements?updated_since=3", "id")).toEqual(["T1", "T3"])
  // Their one company was removed: a link is a part of a tenement's record, though no field shows it.
  expect(await ids("/tenements?updated_since=4", "id")).toEqual(["T1", "T3"])
  expect(await ids("/tenements?updated_since=5", "id")).toEqual([])
  expect(await ids("/companies?updated_since=2026-01-04", "asx_code")).toEqual(["AAA"])
  expect(await ids("/tenements?removed_since=3", "id")).toEqual(["T2"])
  expect(await ids("/tenements?removed_since=4", "id")).toEqual([])
  expect(await ids("/companies?removed_since=2&as_of=4", "asx_code")).toEqual([])
  expect((await service.get("/companies?removed_since=5&as_of=4")).status).toBe(400)
  expect((await service.get("/companies?removed_since=2&updated_since=2")).status).toBe(400)
})

test("The parameter changed keeps the records that changed in one of its ways, and the field tells them", async () => {
  const changed = async (path: string) =>
    (await list(`${path}&fields=id,changed`)).data.map((each) => [each.id, each.changed])
  expect(await changed("/tenements?updated_since=3")).toEqual([
    ["T1", ["holder_name", "asx_codes"]],
    ["T3", ["added"]],
  ])
  expect(await changed("/tenements?updated_since=4")).toEqual([
    ["T1", ["asx_codes"]],
    ["T3", ["asx_codes"]],
  ])
  expect(await changed("/tenements?updated_since=3&changed=added")).toEqual([["T3", ["added"]]])
  expect(await changed("/tenements?updated_since=3&changed=status,holder_name")).toEqual([
    ["T1", ["holder_name", "asx_codes"]],
  ])
  // T1 was held by another company.
  expect(await changed("/companies/BBB/tenements?updated_since=3&as_of=4&changed=added")).toEqual([
    ["T1", ["added"]],
    ["T3", ["added"]],
  ])
  expect(await ids("/tenements?updated_since=3&changed=holder_name,added", "id")).toEqual([
    "T1",
    "T3",
  ])
  expect(await ids("/companies?updated_since=2026-01-04&changed=company_name", "asx_code")).toEqual(
    ["AAA"],
  )
})

test("What changed is one value of the table formats", async () => {
  const csv = await service.get(
    "/tenements?updated_since=2&as_of=4&fields=changed,id&format=csv&all=true",
  )
  expect(await csv.text()).toBe("changed,id\r\nadded,T1\r\nadded,T3\r\n")
  const ndjson = await service.get("/tenements?updated_since=4&fields=changed&format=ndjson")
  expect(await ndjson.text()).toBe('{"changed":["asx_codes"]}\n'.repeat(2))
})

test("Kinds of change share an address in any order, and need the point that they begin at", async () => {
  const etag = async (kinds: string) =>
    (await service.get(`/tenements?updated_since=3&changed=${kinds}`)).headers.get("etag")
  expect(await etag("added,status")).toBe(await etag("status,added"))
  expect(await etag("added,status")).not.toBe(await etag("added"))
  for (const [query, parameter] of [
    ["changed=added", "changed"],
    ["changed=added&removed_since=3", "changed"],
    ["changed=colour&updated_since=3", "changed"],
    ["fields=changed", "fields"],
  ]) {
    expect(await faultsOf(service, `/tenements?${query}`)).toMatchObject([{ parameter }])
  }
})

test.each([
  ["companies", "asx_code"],
  ["tenements", "id"],
])("A release counts the %s that the filters of changes list", async (name, key) => {
  for (const release of (await list("/releases")).data) {
    const counts = ["added", "changed", "removed"].map((kind) => Number(release[`${name}_${kind}`]))
    const [added = 0, changed = 0, removed] = counts
    const listed = async (since: string) =>
      (await ids(`/${name}?${since}=${Number(release.id) - 1}&as_of=${release.id}`, key)).length
    expect([added + changed, removed]).toEqual([
      await listed("updated_since"),
      await listed("removed_since"),
    ])
  }
})

test("The operator's list of releases has the sums of their counts", async () => {
  const rows = await withSnapshot(service.database.url, (sql) => newestReleases(sql, 9))
  const sumOf = (release: Record<string, unknown>, kind: string) =>
    resourceNames.reduce((sum, name) => sum + Number(release[`${name}_${kind}`]), 0)
  expect(rows.map(({ added, changed, removed }) => [added, changed, removed])).toEqual(
    (await list("/releases")).data.map((release) =>
      ["added", "changed", "removed"].map((kind) => sumOf(release, kind)),
    ),
  )
})

test("Reads of the newest release do not read history tables", async () => {
  for (const name of resourceNames) {
    await service.sql`alter table ${service.sql(`${name}_history`)} rename to ${service.sql(`${name}_hidden`)}`
  }
  for (const [path, status] of [
    ["/tenements?holder=nobody&page=99", 200],
    ["/tenements?format=csv&all=true", 200],
    ["/companies/AAA/tenements", 200],
    ["/companies/AAA/subsidiaries", 200],
    ["/tenements/T3?as_of=5", 200],
    // It was there before.
    ["/tenements/T2", 404],
    ["/tenements?as_of=4&per_page=7", 500],
  ] as const) {
    expect([path, (await service.get(path)).status]).toEqual([path, status])
  }
})
