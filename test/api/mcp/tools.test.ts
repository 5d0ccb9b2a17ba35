/** The tools for assistants return what the API returns, name its release, and state their limits. */
import { expect, test } from "bun:test"
import { companyList } from "../../../src/api/routes/companies.ts"
import { reportList } from "../../../src/api/routes/reports.ts"
import { tenementList } from "../../../src/api/routes/tenements.ts"
import { readList, releaseOf } from "../../contract/bodies.ts"
import { awkward, type Fixtures, tenementsOf } from "../../support/fixtures.ts"
import { serviceOfFile } from "../../support/service.ts"
import { ask, callTool, legacy, modern, type Part, resultOf } from "./conversation.ts"

const service = await serviceOfFile()
const calls: [tool: string, given: object][] = [
  ["find_companies", { search: "a", sort: "market_cap", order: "desc" }],
  ["find_companies", { active: false, page: 2, per_page: 1 }],
  ["company", { asx_code: "big" }],
  ["find_tenements", { state: "WA", company: "BIG" }],
  ["find_announcements", { from: "2026-02-01", per_page: 3 }],
  ["count_tenements", { by: "held_by", state: "WA", per_page: 2 }],
  ["changes", { list: "tenements", since: "0", status: "granted" }],
  ["changes", { list: "companies", since: "0", active: true }],
  ["changes", { list: "Tenements", since: "0", state: "nt", status: "" }],
]

/** All parts of a result that have an address of their own. */
function partsIn(value: unknown): Part[] {
  if (typeof value !== "object" || value === null) return []
  const inside = Object.values(value).flatMap(partsIn)
  return "request" in value && "records" in value ? [value as Part, ...inside] : inside
}

test.each([legacy, modern])("Version %s lists the seven tools, all read-only", async (version) => {
  const { result } = await ask(service, "tools/list", {}, version)
  expect(result?.tools).toEqual(
    [
      ...["find_companies", "find_tenements", "find_announcements", "count_tenements"],
      ...["company", "changes", "sources"],
    ].map((name) =>
      expect.objectContaining({
        name,
        annotations: { readOnlyHint: true, openWorldHint: false },
      }),
    ),
  )
})

test("A tool that finds records takes the filters and orders of its list, and the tool changes its filters", async () => {
  const { result } = await ask(service, "tools/list", {})
  for (const [name, { filters, resource }] of [
    ["find_companies", companyList],
    ["find_tenements", tenementList],
    ["find_announcements", reportList],
  ] as const) {
    const tool = result?.tools?.find((each) => each.name === name)
    const orders = Object.keys(resource.sorts).length > 0 ? ["sort", "order"] : []
    const others = Object.keys(resource.parameters ?? {})
    const expected = [...filters, ...others, ...orders, "as_of", "page", "per_page"].sort()
    expect(Object.keys(tool?.inputSchema.properties ?? {}).sort()).toEqual(expected)
    const changes = result?.tools?.find((each) => each.name === "changes")
    expect(Object.keys(changes?.inputSchema.properties ?? {})).toEqual(
      expect.arrayContaining([...filters, ...others]),
    )
    expect(changes?.inputSchema.properties.search).toHaveProperty(
      "description",
      expect.stringMatching(
        /^Of companies: .+\. Of tenements: .+\. Of reports: Part of the title$/,
      ),
    )
  }
})

test.each(calls)(
  "%s with %j has the records of the requests that it names",
  async (tool, given) => {
    const result = await resultOf(service, tool, given)
    expect(result.release).toEqual({ number: 1, published_at: "2026-01-01T00:00:01Z" })
    const parts = partsIn(result)
    expect(parts).not.toEqual([])
    for (const { request, total, records } of parts) {
      expect(request).toStartWith(`${service.url}/api/v1/`)
      expect(request).toEndWith("as_of=1")
      expect(request).not.toContain("mds_")
      const response = await service.get(request.slice(`${service.url}/api/v1`.length))
      const { data, meta } = await readList(response)
      expect([request, data, meta.total]).toEqual([request, records, total])
    }
  },
)

test("A result is repeated as text", async () => {
  for (const version of [legacy, modern]) {
    const { result } = await callTool(service, "company", { asx_code: "BIG" }, version)
    expect(result?.content).toHaveLength(1)
    expect(JSON.parse(result?.content[0]?.text ?? "")).toEqual(result?.structuredContent)
  }
})

test("The tool count_tenements ranks the values of a field, and notes what a date filter omits", async () => {
  const given = { by: "status", state: "NT", expires_from: "1900-01-01" }
  const { records, total, notes } = await resultOf(service, "count_tenements", given)
  expect([records, total]).toEqual([
    [
      { value: "granted", count: 1 },
      { value: "pending", count: 1 },
    ],
    2,
  ])
  expect(notes).toEqual([
    "The list leaves out 1 of the 3 tenements that match the other filters: they have no expiry date.",
    expect.stringContaining("By any other field, a tenement counts once."),
  ])
})

test("A search by place notes the tenements without a known shape", async () => {
  const { notes } = await resultOf(service, "find_tenements", { near: "-30.75,121.47,50" })
  const all = awkward.tenements.length
  expect(notes).toContain(
    `The list leaves out ${all} of the ${all} tenements that match the other filters: they have no known shape.`,
  )
})

test("A search for a number that no tenement has notes the nearest numbers", async () => {
  const given = { search: "E 47/1200", state: "WA" }
  expect((await resultOf(service, "find_tenements", given)).notes).toEqual([
    "The nearest numbers of its type: E47/1234 (WA), E47/1234 (WA), E47/1234 (WA).",
  ])
  const { notes } = await resultOf(service, "find_tenements", { ...given, search: "no number" })
  expect(notes).toEqual([])
})

test("A search that finds no active company names the argument for the others", async () => {
  const notesOf = async (given: object) =>
    (
      await resultOf(service, "find_companies", { search: "no such company", ...given })
    ).notes.join()
  expect(await notesOf({})).toContain("`active: false`")
  expect(await notesOf({ active: false })).not.toContain("`active: false`")
})

test("The tool company notes the granted tenements without an expiry date", async () => {
  const { notes } = await resultOf(service, "company", { asx_code: "OLDCO" })
  expect(notes).toContain(
    "past_expiry leaves out 1 of the 2 tenements that match the other filters: they have no expiry date.",
  )
})

test("The notes count the tenements that are linked to no company", async () => {
  const { records, notes } = await resultOf(service, "find_tenements")
  const unlinked = awkward.tenements.filter(({ asx_codes }) => asx_codes.length === 0).length
  expect(unlinked).toBeGreaterThan(0)
  expect(notes.join()).toContain(
    `${unlinked} of these ${records.length} records are linked to no company`,
  )
})

test("Tenements have the point inside their shape, and never the shape", async () => {
  const { records } = await resultOf(service, "find_tenements")
  expect(records).not.toEqual([])
  for (const record of records) {
    expect(record).toMatchObject({ latitude: null, longitude: null })
    expect(record).not.toHaveProperty("geometry")
  }
})

test("The tool sources lists the sources as they are now, beside the newest release", async () => {
  const { release, request, records } = await resultOf(service, "sources")
  expect([release.number, request]).toEqual([1, `${service.url}/api/v1/sources`])
  const { data } = await readList(await service.get("/sources"))
  expect(records).toEqual(data)
})

// The tests below publish releases of their own.

/** @returns the number of the release */
async function publish(records: Partial<Fixtures>): Promise<number> {
  await service.publish({ ...awkward, ...records })
  return releaseOf(await service.get("/releases"))
}

test("The tool company counts the tenements by state and by status, and lists those past their expiry on the day of the data", async () => {
  const release = await publish({
    tenements: awkward.tenements.map((tenement) =>
      tenement.id === "WA-E47-1235" ? { ...tenement, expiry_date: "2026-02-28" } : tenement,
    ),
  })
  const given = { asx_code: "BIG" }
  const { company, tenements, subsidiaries } = await resultOf(service, "company", given)
  expect(company.asx_code).toBe("BIG")
  expect(tenements.total).toBe(tenementsOf(awkward.tenements, "BIG").length)
  expect(tenements.by_state.records).toEqual([
    { value: "WA", count: 3 },
    { value: "NSW", count: 1 },
  ])
  const counted = tenements.by_status.records.map(({ count }) => Number(count))
  expect(counted.reduce((sum, count) => sum + count, 0)).toBe(tenements.total)
  expect(tenements.past_expiry.records.map(({ id }) => id)).toEqual(["WA-E47-1235"])
  expect(subsidiaries.total).toBe(5)
  const { notes } = await resultOf(service, "find_tenements", { company: "BIG" })
  expect(notes.join()).toContain(
    "1 of these 4 records are granted and past their expiry date on 2026-03-01",
  )
  const as_of = String(release)
  const past = await resultOf(service, "company", { ...given, as_of })
  expect(past.tenements.past_expiry.records).toEqual([])
  const listed = await resultOf(service, "find_tenements", { company: "BIG", as_of })
  expect(listed.notes.join()).not.toContain("past their expiry date")
})

test("A result has at most 50 records, with the total", async () => {
  const [first] = awkward.tenements
  if (!first) throw new Error("No tenement")
  await publish({
    tenements: Array.from({ length: 120 }, (_, index) => ({ ...first, id: `T-${index}` })),
  })
  const found = await resultOf(service, "find_tenements")
  expect([found.records.length, found.total, found.total_pages]).toEqual([50, 120, 3])
  const rest = await resultOf(service, "find_tenements", { page: 3 })
  expect(rest.records).toHaveLength(20)
  const changed = await resultOf(service, "changes", { list: "tenements", since: "0" })
  expect([changed.added_or_changed.records.length, changed.added_or_changed.total]).toEqual([
    25, 120,
  ])
  const { result } = await callTool(service, "find_tenements", { per_page: 51 })
  expect(result?.content[0]?.text).toContain("Must be an integer from 1 to 50")
})

test("The tool changes lists the records added, changed and removed between two releases", async () => {
  const since = await publish({})
  const [, ...others] = awkward.tenements
  const release = await publish({
    tenements: others.map((each) => (each.id === "NT-1" ? { ...each, area_km2: 1 } : each)),
  })
  await publish({ tenements: [] })
  const given = { list: "tenements", since: String(since), as_of: String(release) }
  const changed = await resultOf(service, "changes", given)
  expect([changed.release.number, changed.since.number]).toEqual([release, since])
  expect(changed.removed.records.map(({ id }) => id)).toEqual(["WA-E47-1234"])
  const ofState = await resultOf(service, "changes", { ...given, state: "NT" })
  expect(ofState.removed.total).toBe(0)
  expect(ofState.added_or_changed.records).toContainEqual(
    expect.objectContaining({ id: "NT-1", area_km2: 1 }),
  )
})

test("Without since, the tool changes lists the changes of one release, by default the last", async () => {
  const first = await publish({})
  const tenements = awkward.tenements.slice(1)
  const second = await publish({ tenements })
  const third = await publish({ tenements, reports: [] })
  const last = await resultOf(service, "changes", { list: "reports" })
  expect([last.since.number, last.release.number]).toEqual([second, third])
  expect(last.removed.total).toBe(awkward.reports.length)
  const before = await resultOf(service, "changes", { list: "tenements", as_of: String(second) })
  expect([before.since.number, before.removed.total]).toEqual([first, 1])
})

test("All parts of a result are of one release, also while others are published", async () => {
  await publish({})
  const results = Array.from({ length: 6 }, () => [
    resultOf(service, "company", { asx_code: "BIG" }),
    resultOf(service, "changes", { list: "reports", since: "0" }),
  ]).flat()
  await publish({ reports: awkward.reports.slice(1) })
  for (const result of await Promise.all(results)) {
    const release = String(result.release.number)
    const shown = partsIn(result).map(({ request }) => new URL(request).searchParams.get("as_of"))
    expect(new Set(shown)).toEqual(new Set([release]))
  }
})

test("The tool changes does not move the release that later pages of a search show", async () => {
  const first = await publish({})
  // The pages of changes have as many.
  const given = { per_page: 25 }
  expect((await resultOf(service, "find_companies", given)).release.number).toBe(first)
  const second = await publish({ companies: awkward.companies.slice(1) })
  const changed = await resultOf(service, "changes", { list: "companies" })
  expect(changed.release.number).toBe(second)
  const later = await resultOf(service, "find_companies", { ...given, page: 2 })
  expect(later.release.number).toBe(first)
})
