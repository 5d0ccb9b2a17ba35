/** `fields` selects the fields of records and their order, in every format, and adds those that are not shown otherwise. */
import { expect, test } from "bun:test"
import { seeded } from "../../src/sample/random.ts"
import { awkward, shown, tenementsOf } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { faultsOf, readList, readRecord, releaseOf, type Shown } from "./bodies.ts"
import { crawl } from "./crawl.ts"
import { parseCsv, parseTsv } from "./delimited-reader.ts"

/** Release 2 changes a tenement, removes another and adds a third. */
const service = await serviceOfFile()
const [first, , third, ...others] = awkward.tenements
if (!first || !third) throw new Error("No tenements")
await service.publish({
  ...awkward,
  tenements: [
    { ...first, status: "live", asx_codes: ["QUO"] },
    third,
    ...others,
    { ...third, id: "WA-NEW" },
  ],
})

const data = async (path: string): Promise<Shown[]> =>
  (await readList(await service.get(path))).data
const text = async (path: string) => (await service.get(path)).text()

const loaded = ["source", "since_release"]
const tenementFields = [
  ...Object.keys(awkward.tenements[0] ?? {}).slice(0, -1),
  "asx_codes",
  "name",
  "commodities",
  "latitude",
  "longitude",
  "geometry",
  ...loaded,
]

/** Each list with the fields that it may be asked for. */
const lists: [path: string, names: string[]][] = [
  ["/companies", [...Object.keys(shown(awkward).companies[0] ?? {}), ...loaded]],
  ["/tenements", tenementFields],
  ["/companies/BIG/tenements", tenementFields],
  ["/companies/BIG/subsidiaries", [...Object.keys(awkward.subsidiaries[0] ?? {}), ...loaded]],
  ["/reports", [...Object.keys(awkward.reports[0] ?? {}), ...loaded]],
]

test("The field asx_codes lists the linked companies, as text joined by semicolons in CSV and TSV", async () => {
  const path = "/tenements?as_of=1&fields=id,asx_codes"
  const codes = new Map(awkward.tenements.map(({ id, asx_codes }) => [id, asx_codes]))
  const records = await data(path)
  expect(records).toHaveLength(awkward.tenements.length)
  for (const { id, asx_codes } of records) expect(asx_codes).toEqual(codes.get(String(id)))
  const rows = records.map(({ id }) => [String(id), codes.get(String(id))?.join("; ") ?? ""])
  expect(rows).toContainEqual(["WA-E47-1235", "BIG; QUO"])
  for (const all of ["", "&all=true"]) {
    expect(parseCsv(await text(`${path}&format=csv${all}`)).slice(1)).toEqual(rows)
    expect(parseTsv(await text(`${path}&format=tsv${all}`)).slice(1)).toEqual(rows)
  }
})

test("Any selection is the same part of the whole record, in JSON, CSV, TSV and exports", async () => {
  const random = seeded(24)
  const shuffled = (names: readonly string[]) =>
    names
      .map((name) => ({ name, place: random() }))
      .sort((a, b) => a.place - b.place)
      .map(({ name }) => name)
  for (const [path, names] of lists) {
    const whole = await data(`${path}?per_page=100&fields=${names.join(",")}`)
    const shown = await data(`${path}?per_page=100`)
    expect(whole.map((record) => selected(record, Object.keys(shown[0] ?? {})))).toEqual(shown)
    const columns = parseCsv(await text(`${path}?format=csv&all=true&fields=${names}`))
    expect(columns[0]).toEqual(names)
    for (let round = 0; round < 4; round++) {
      const chosen = shuffled(names).slice(0, 1 + Math.floor(random() * names.length))
      const query = `${path}?fields=${chosen.join(",")}`
      const expected = whole.map((record) => selected(record, chosen))
      expect(JSON.stringify(await data(`${query}&per_page=100`))).toBe(JSON.stringify(expected))
      expect(await crawl(service, query, 4)).toEqual(expected)
      const places = chosen.map((name) => names.indexOf(name))
      const cells = columns.map((row) => places.map((place) => row[place] ?? ""))
      const exported = await text(`${query}&format=csv&all=true`)
      expect(parseCsv(exported)).toEqual(cells)
      expect(await text(`${query}&format=csv&per_page=100`)).toBe(exported)
      expect(await text(`${query}&format=tsv&per_page=100`)).toBe(
        await text(`${query}&format=tsv&all=true`),
      )
    }
  }
})

const selected = (record: Shown, names: readonly string[]): Shown =>
  Object.fromEntries(names.map((name) => [name, record[name]]))

test("A record has the same fields as in its list", async () => {
  const paths: [list: string, key: string][] = [
    ["/companies", "asx_code"],
    ["/tenements", "id"],
    ["/reports", "hash"],
  ]
  for (const [path, key] of paths) {
    const names = [...(lists.find(([list]) => list === path)?.[1] ?? [])].reverse()
    const records = await data(`${path}?fields=${names}`)
    const found = await Promise.all(
      records.map(async (record) =>
        readRecord(await service.get(`${path}/${record[key]}?fields=${names}`)),
      ),
    )
    expect(JSON.stringify(found)).toBe(JSON.stringify(records))
  }
})

test("Concurrent reads with and without fields do not mix", async () => {
  const paths = ["/tenements/WA-E47-1234", "/tenements?holder=big&per_page=2"]
  for (const path of paths) {
    const joint = path.includes("?") ? "&" : "?"
    const [plain, chosen, other] = await Promise.all(
      ["", `${joint}fields=source,id`, `${joint}fields=id,source`].map((query) =>
        text(path + query),
      ),
    )
    expect(plain).not.toContain('"source"')
    expect(chosen).toContain('{"source":"test","id":"')
    expect(other).toMatch(/\{"id":"[^"]+","source":"test"\}/)
  }
})

test("Tags and links depend on the fields and their order", async () => {
  const tagOf = async (query: string) => (await service.get(query)).headers.get("etag") ?? ""
  for (const path of ["/tenements", "/tenements/NT-1"]) {
    const queries = ["", "?fields=id,state", "?fields=state,id", "?fields=id"]
    const tags = await Promise.all(queries.map((query) => tagOf(path + query)))
    expect(new Set(tags).size).toBe(4)
    const again = { headers: { "If-None-Match": tags[1] ?? "" } }
    expect((await service.get(`${path}?fields=id,state`, again)).status).toBe(304)
    expect((await service.get(`${path}?fields=state,id`, again)).status).toBe(200)
  }
  const response = await service.get("/tenements?fields=state,id&per_page=2&page=2")
  const [, next = ""] = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "") ?? []
  expect(await data(next.replace("/api/v1", ""))).toEqual(
    (await data("/tenements?fields=state,id")).slice(4, 6),
  )
})

test("The parameter fields works with as_of, updated_since and removed_since", async () => {
  const query = "fields=id,status,asx_codes,since_release"
  const before = await data(`/tenements?${query}&as_of=1`)
  expect(before.every(({ since_release }) => since_release === 1)).toBe(true)
  const bigAtFirst = await data(`/companies/BIG/tenements?as_of=1&${query}`)
  expect(bigAtFirst).toHaveLength(tenementsOf(awkward.tenements, "BIG").length)
  const changed = await data(`/tenements?${query}&updated_since=1`)
  expect(changed).toContainEqual({
    id: "WA-E47-1234",
    status: "live",
    asx_codes: ["QUO"],
    since_release: 2,
  })
  expect(changed.every(({ since_release }) => since_release === 2)).toBe(true)
  expect(await data(`/tenements?${query}&removed_since=1`)).toEqual([
    { id: "WA-E47-1235", status: "granted", asx_codes: ["BIG", "QUO"], since_release: 1 },
  ])
  const then = await service.get(`/tenements/WA-E47-1235?${query}&as_of=1`)
  expect(await readRecord(then)).toMatchObject({ asx_codes: ["BIG", "QUO"], since_release: 1 })
})

test.each([
  ["", 'Unknown name ""'],
  ["id,,state", 'Unknown name ""'],
  ["id,state,id", "Must not repeat a name"],
  ["id,stat", 'Unknown name "stat"; did you mean state?'],
  ["ID", 'Unknown name "ID"; did you mean id?'],
  ["asxCodes", 'Unknown name "asxCodes"; did you mean asx_codes?'],
  ["id,colour", 'Unknown name "colour"'],
  ["holder_keys", 'Unknown name "holder_keys"'],
  ["__proto__", 'Unknown name "__proto__"'],
])("The parameter fields=%p is invalid", async (fields, message) => {
  for (const path of ["/tenements", "/companies/BIG/tenements", "/tenements/NT-1"]) {
    expect(await faultsOf(service, `${path}?fields=${fields}`)).toEqual([
      {
        parameter: "fields",
        message,
        allowed: path.endsWith("/NT-1") ? tenementFields : [...tenementFields, "changed"],
      },
    ])
  }
})

test("An error shows the first 40 characters of an unknown field", async () => {
  expect(await faultsOf(service, `/reports?fields=hash,${"x".repeat(5_000)}`)).toMatchObject([
    { parameter: "fields", message: `Unknown name "${"x".repeat(40)}"` },
  ])
})

test("Histories, releases and sources have no fields parameter", async () => {
  for (const path of [
    "/companies/BIG/history",
    "/tenements/NT-1/history",
    "/releases",
    "/sources",
  ]) {
    expect(await faultsOf(service, `${path}?fields=source`)).toMatchObject([
      { parameter: "fields", message: "Unknown parameter" },
    ])
  }
})

test("Each selection has a page sequence of its own", async () => {
  const release = async (fields: string, page: number) =>
    releaseOf(await service.get(`/tenements?fields=${fields}&per_page=2&page=${page}`))
  expect(await release("id,type", 1)).toBe(2)
  await service.publish(awkward)
  expect(await release("id,type", 2)).toBe(2)
  expect(await release("type,id", 2)).toBe(3)
})
