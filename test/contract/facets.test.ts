/** Each count of a facet is the total of the list with that value and the same filters. */
import { expect, test } from "bun:test"
import type { ValueCount } from "../../src/data/reader/reads.ts"
import { awkward } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { faultsOf, readError, readList } from "./bodies.ts"
import { crawl } from "./crawl.ts"
import { by, holderCounts, inOrder } from "./oracle.ts"

const records = {
  ...awkward,
  reports: [
    ...awkward.reports,
    ...["Progress Report; Placement", "progress report", "PROGRESS REPORT;Other;other", null].map(
      (type, index) => ({
        hash: `facet-${index}`,
        asx_code: "FCT",
        title: index === 1 ? "Drilling at Example Hill" : "Update",
        type,
        published_at: `2026-02-0${index + 1}T00:00:00Z`,
        url: null,
      }),
    ),
  ],
}
const [model] = awkward.tenements
if (!model) throw new Error("No tenement")
records.tenements = [
  ...records.tenements,
  ...[
    "Beta Gold Pty Ltd",
    "BETA GOLD PTY. LIMITED;Individual",
    "BETA GOLD PTY. LIMITED;Alpha & Sons",
    "Individual; Individual",
    "Beta Gold Pty Limited; ...; BETA GOLD PTY LTD; Individual",
    "alpha and sons",
  ].map((holder_name, index) => ({
    ...model,
    id: `NT-H${index}`,
    state: "NT" as const,
    status: index < 3 ? "granted" : "pending",
    holder_name,
    asx_codes: [],
  })),
]
const service = await serviceOfFile({ records })

async function facet(path: string): Promise<ValueCount[]> {
  const rows = await crawl(service, `/facets/${path}`, 3)
  return rows.map(({ value, count }) => ({
    value: value === null ? null : String(value),
    count: Number(count),
  }))
}

const totalOf = async (path: string): Promise<number> =>
  (await readList(await service.get(`${path}&per_page=1`))).meta.total

const sorted = (counts: readonly ValueCount[]) =>
  inOrder(
    counts,
    by(({ value }) => Number(value === null)),
    by(({ count }) => count, "desc"),
    by(({ value }) => value),
  )

test.each([
  ["companies", "sector", ""],
  ["companies", "sector", "active=false"],
  ["companies", "sector", "search=ore"],
  ["companies", "gics_industry_group", ""],
  ["companies", "gics_industry_group", "sector=materials"],
  ["tenements", "state", ""],
  ["tenements", "state", "holder=big"],
  ["tenements", "state", "company=BIG&status=granted"],
  ["tenements", "status", ""],
  ["tenements", "status", "state=WA&granted_from=2000-01-01"],
  ["tenements", "type", ""],
  ["tenements", "type", "expires_to=2040-01-01"],
  ["tenements", "held_by", ""],
  ["tenements", "held_by", "state=NT&status=granted"],
  ["tenements", "held_by", "holder=the%20quoted"],
  ["tenements", "state", "held_by=beta%20gold%20p%2Fl"],
  ["reports", "type", ""],
  ["reports", "type", "company=FCT"],
  ["reports", "type", "group=other&from=2026-01-01&to=2026-02-28"],
  ["reports", "group", ""],
  ["reports", "group", "search=drill&type=progress%20report"],
])("Each count of %s by %s is a total of the list, with %s", async (list, field, filters) => {
  const counts = await facet(`${list}/${field}?${filters}`)
  expect(counts.length).toBeGreaterThan(0)
  expect(counts).toEqual(sorted(counts))
  let known = 0
  for (const { value, count } of counts) {
    if (value === null) continue
    const query = new URLSearchParams(filters)
    query.set(field, value)
    expect([value, await totalOf(`/${list}?${query}`)]).toEqual([value, count])
    known += count
  }
  const unknown = counts.find(({ value }) => value === null)?.count ?? 0
  const total = await totalOf(`/${list}?${filters}`)
  // A report counts for each of its types.
  if (field === "held_by") expect(unknown).toBe(0)
  else if (list === "reports" && field === "type")
    expect(known + unknown).toBeGreaterThanOrEqual(total)
  else expect(known + unknown).toBe(total)
})

test("Values have their most frequent spelling", async () => {
  expect(await facet("reports/type?company=fct")).toEqual([
    { value: "PROGRESS REPORT", count: 3 },
    { value: "Placement", count: 1 },
    { value: "other", count: 1 },
    { value: null, count: 1 },
  ])
  expect(await facet("reports/group?company=fct")).toEqual([
    { value: "other", count: 2 },
    { value: "capital", count: 1 },
    { value: "drilling", count: 1 },
  ])
})

test("Each holder counts once for each of its tenements, in its most frequent spelling", async () => {
  expect(await facet("tenements/held_by")).toEqual(holderCounts(records.tenements))
  expect(await facet("tenements/held_by?state=NT&search=h")).toEqual([
    { value: "BETA GOLD PTY. LIMITED", count: 4 },
    { value: "Alpha & Sons", count: 2 },
  ])
  expect(await facet("tenements/held_by?search=nothing")).toEqual([])
})

test("A facet counts the records of its release, and later pages stay on it", async () => {
  const before = await facet("tenements/type")
  const pageOne = await service.get("/facets/tenements/type?per_page=1")
  await service.publish({ ...records, tenements: records.tenements.slice(0, 1) })
  const pageTwo = await service.get("/facets/tenements/type?per_page=1&page=2")
  expect([pageOne, pageTwo].map(({ headers }) => headers.get("x-data-release"))).toEqual(["1", "1"])
  expect(await facet("tenements/type?as_of=1")).toEqual(before)
  expect(await facet("tenements/held_by?as_of=1")).toEqual(holderCounts(records.tenements))
  expect(await facet("tenements/held_by")).toEqual(holderCounts(records.tenements.slice(0, 1)))
  expect(await facet("tenements/type")).toEqual([{ value: "exploration", count: 1 }])
})

test("A facet with over 50,000 values returns 400 and names the field", async () => {
  // Companies have the fewest indexes.
  await service.sql`
    insert into companies (asx_code, company_name, company_name_folded, name_key, gics_sector, gics_sector_folded, total_tenements, is_active, source, since_release)
    select lpad(n::text, 6, '0'), 'Many', 'many', 'MANY', 'Sector ' || n, 'sector ' || n, 0, true, 'test', 1
    from generate_series(1, 50001) n`
  const faults = await faultsOf(service, "/facets/companies/sector")
  expect(faults).toMatchObject([{ parameter: "sector" }])
})

test.each([
  "subsidiaries/country",
  "companies/company_name",
  "tenements/sector",
  "reports/",
  "nothing/type",
  "tenements",
])("There is no facet %s", async (path) => {
  const response = await service.get(`/facets/${path}?nonsense=1`)
  expect([response.status, (await readError(response)).code]).toEqual([404, "NOT_FOUND"])
})

test.each([
  "sort=count",
  "updated_since=1",
  "removed_since=1",
  "state=XX",
  "company=A%00",
  "fields=value",
])("%s is not a parameter of a facet, or has an invalid value", async (query) => {
  expect(await faultsOf(service, `/facets/tenements/state?${query}`)).toHaveLength(1)
})
