/** `fields` chooses the names and commodities of tenements, `search` finds names, and earlier releases stay as they were. */
import { expect, test } from "bun:test"
import { fileLoader } from "../ingest/loading/file-loader.ts"
import { none } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { textOf } from "../web/pages/page-reader.ts"
import { signedInVisitor } from "../web/pages/visitor.ts"
import { readList, readRecord, releaseOf } from "./bodies.ts"

const service = await serviceOfFile({ records: none })
const load = fileLoader(service)
const header = "id,tenement_id,state,status,type,holder_name,grant_date,expiry_date,area_km2"
const rows = ["SA-ML1,ML1,SA,granted,mining,A Ltd,,,1", "SA-ML2,ML2,SA,granted,mining,A Ltd,,,1"]
const first = [header, ...rows]
const named = [
  `${header},name,commodities`,
  `${rows[0]},Example O'Brien Quarry,Limestone; Shale`,
  `${rows[1]},,`,
]

const idsOf = async (query: string) =>
  (await readList(await service.get(`/tenements?${query}`))).data.map(({ id }) => id)

test("A name and commodities come with the next load, are shown when asked, and are found", async () => {
  await load("tenements", { "first.csv": first })
  const release = releaseOf(await service.get("/tenements"))
  const before = await (await service.get(`/tenements?as_of=${release}`)).text()
  expect(await idsOf("search=obrien%20quarry")).toEqual([])
  await load("tenements", { "named.csv": named })
  expect(await (await service.get(`/tenements?as_of=${release}`)).text()).toBe(before)
  const { data } = await readList(await service.get("/tenements"))
  expect(Object.keys(data[0] ?? {}).join()).toBe(header)
  const fields = "fields=id,name,commodities"
  expect((await readList(await service.get(`/tenements?${fields}`))).data).toEqual([
    { id: "SA-ML1", name: "Example O'Brien Quarry", commodities: "Limestone; Shale" },
    { id: "SA-ML2", name: null, commodities: null },
  ])
  expect(await readRecord(await service.get("/tenements/SA-ML1?fields=name"))).toEqual({
    name: "Example O'Brien Quarry",
  })
  for (const term of ["obrien quarry", "O'BRIEN", "Example", "ple o-b", "le"]) {
    const found = await idsOf(`search=${encodeURIComponent(term)}`)
    expect([term, found]).toEqual([term, ["SA-ML1"]])
  }
  expect(await idsOf("search=ML2")).toEqual(["SA-ML2"])
  expect(await idsOf(`search=obrien&as_of=${release}`)).toEqual([])
  expect(await idsOf(`updated_since=${release}&changed=name`)).toEqual(["SA-ML1"])
  expect(await idsOf(`updated_since=${release}&changed=commodities`)).toEqual(["SA-ML1"])
  expect(await idsOf(`removed_since=${release}`)).toEqual([])
})

test("An export of all fields loads without a change, and a file without names leaves them", async () => {
  const query = `fields=${header},name,commodities&format=csv&all=true`
  const csv = await (await service.get(`/tenements?${query}`)).text()
  expect((await load("tenements", { "export.csv": csv.trim().split("\r\n") })).release).toBeNull()
  expect((await load("tenements", { "first.csv": first })).release).toBeNull()
})

test("The explorer finds a name, and shows it with the commodities on the record", async () => {
  const person = await signedInVisitor(service, "standard@example.com")
  const found = textOf(await person.read("/explore/search?q=obrien%20quarry"))
  expect(found).toContain("ML1")
  expect(found).not.toContain("ML2")
  const record = textOf(await person.read("/explore/tenements/SA-ML1"))
  expect(record).toContain("Example O'Brien Quarry")
  expect(record).toContain("Limestone; Shale")
})
