/** `/sources`: where the data comes from, and how fresh it is. */

import { expect, test } from "bun:test"
import { LoadError } from "../../src/ingest/loading/load-error.ts"
import type { LoadOptions } from "../../src/ingest/loading/load-options.ts"
import { fileLoader } from "../ingest/loading/file-loader.ts"
import { none } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { readList } from "./bodies.ts"

const service = await serviceOfFile({ records: none })

const load = fileLoader(service)
const loadFile = (source: string, lines: readonly string[], options?: Partial<LoadOptions>) =>
  load(source, { [`${source}.csv`]: lines }, options)

const directoryOf = (...codes: string[]) => [
  "ASX code,Company name,GICs industry group,Listing date,Market Cap",
  ...codes.map((code) => `${code},QUARRY ${code} LIMITED,Materials,,1000`),
]
const waHeader = "fmt_tenid,type,tenstatus,holder1"
const wa = (number: number, status: string, holder: string) =>
  `E 04/${number},EXPLORATION LICENCE,${status},${holder}`

/** Of the loads; they are those of the machine. */
const setTimes = () => service.sql`
  update sources set last_loaded_at = '2026-02-01T00:00:01Z', last_changed_at = '2026-02-01T00:00:00Z'`

const asx = {
  source: "asx-directory",
  resource: "companies",
  licence: null,
  attribution: null,
  crs: null,
  address: null,
  last_fetched_at: null,
  last_loaded_at: "2026-02-01T00:00:01Z",
  last_outcome: "published",
  last_observed_at: "2026-01-01T00:00:00Z",
  last_changed_at: "2026-02-01T00:00:00Z",
  last_release: 2,
  records: 1,
  missing: 0,
  rejected: 0,
  unknown_values: 0,
  linked_percentage: null,
  linked_percentage_of_companies: null,
}
const register = {
  ...asx,
  source: "wa",
  resource: "tenements",
  licence: "CC BY 4.0",
  last_observed_at: "2026-01-02T00:00:00Z",
  last_release: 3,
  records: 3,
  rejected: 1,
  unknown_values: 1,
  linked_percentage: 33.3,
  linked_percentage_of_companies: 50,
}
const meta = { total: 2, page: 1, per_page: 50, total_pages: 1 }

test("Without any load the list is empty", async () => {
  expect(await readList(await service.get("/sources"))).toEqual({
    data: [],
    meta: { ...meta, total: 0, total_pages: 0 },
  })
})

test("Each source has all its fields in order and belongs to no release", async () => {
  await loadFile("asx-directory", directoryOf("QAA"), { observed: "2026-01-01" })
  // One of three tenements is linked, and a row has no reference.
  await loadFile(
    "wa",
    [
      waHeader,
      wa(1, "LIVE", "QUARRY QAA PTY LTD"),
      wa(2, "LIVE", "QUARRY QAA LIMITED"),
      wa(3, "NEITHER", "JANE OTHER"),
      ",EXPLORATION LICENCE,LIVE,OTHER PTY LTD",
    ],
    { observed: "2026-01-02" },
  )
  await setTimes()
  const response = await service.get("/sources")
  expect(await response.text()).toBe(JSON.stringify({ data: [asx, register], meta }))
  const { headers } = response
  expect([headers.get("x-data-release"), headers.get("last-modified")]).toEqual([null, null])
  expect(headers.get("cache-control")).toBe("private, no-cache")
  expect(headers.get("x-total-count")).toBe("2")
  expect((await service.get("/sources?as_of=2")).status).toBe(400)
})

test("A load that publishes nothing changes the list and its entity tag", async () => {
  const ask = (tag?: string | null) =>
    service.get("/sources", { headers: tag ? { "If-None-Match": tag } : {} })
  const first = await ask()
  const tag = first.headers.get("etag")
  const unchanged = await ask(tag)
  expect([unchanged.status, await unchanged.text()]).toEqual([304, ""])
  // The same file again, for the state of a later day.
  await loadFile("asx-directory", directoryOf("QAA"), { observed: "2026-01-05" })
  expect(await service.sql`select max(id) from releases`).toMatchObject([{ max: 3 }])
  const second = await ask(tag)
  expect(second.status).toBe(200)
  expect((await readList(second)).data[0]).toMatchObject({
    last_outcome: "unchanged",
    last_observed_at: "2026-01-05T00:00:00Z",
    last_release: 2,
  })
})

test("A refused load is shown without its reason and changes no figure", async () => {
  const refused = await loadFile("wa", ["Bad Gateway"]).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(LoadError)
  const { data } = await readList(await service.get("/sources"))
  expect(data[1]).toEqual({
    ...register,
    last_loaded_at: expect.any(String),
    last_outcome: "refused",
  })
})

test("A failed fetch is shown, and a source that never published is absent", async () => {
  await setTimes()
  await service.sql`insert into sources (name, resource, last_outcome, last_reason)
    values ('nt', 'tenements', 'failed', 'Cannot fetch')`
  await service.sql`
    update sources set last_outcome = 'failed', last_reason = 'Cannot fetch' where name = 'wa'`
  const { data } = await readList(await service.get("/sources"))
  expect(data.slice(1)).toEqual([{ ...register, last_outcome: "failed" }])
})

test("The time of files without a date is unknown, and not that of their load", async () => {
  await loadFile("wa", [waHeader, wa(4, "LIVE", "OTHER PTY LTD")], { acceptShrink: true })
  const { data } = await readList(await service.get("/sources"))
  expect(data[1]).toMatchObject({ last_outcome: "published", last_observed_at: null })
})

test("An operator's licence and address stay, and secrets are rejected", async () => {
  await service.sql`
    update sources set licence = 'Own licence', attribution = '© The operator',
      address = 'https://example.com/files/wa.csv', last_fetched_at = '2026-02-02T00:00:00Z' where name = 'wa'`
  await loadFile("wa", [waHeader, wa(1, "LIVE", "OTHER PTY LTD")], { acceptShrink: true })
  const { data } = await readList(await service.get("/sources"))
  expect(data[1]).toMatchObject({
    licence: "Own licence",
    attribution: "© The operator",
    address: "https://example.com/files/wa.csv",
    last_fetched_at: "2026-02-02T00:00:00Z",
  })
  for (const secret of [
    "https://user:word@example.com/",
    "https://example.com/?token=1",
    "https://example.com#token",
    "file:///secret",
  ]) {
    const stored = service.sql`update sources set address = ${secret}`
    expect(await stored.catch((error: { code: string }) => error.code)).toBe("23514")
  }
})
