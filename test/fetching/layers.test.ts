/** A layer of a map service is fetched whole, page by page, however it changes in between. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { type FetchBench, fetchBench } from "./fetch-bench.ts"
import { arcgis, json, query, title, titles, wfs } from "./map-servers.ts"
import { plain, reply } from "./misbehaving-server.ts"

let bench: FetchBench
beforeAll(async () => {
  bench = await fetchBench()
})
beforeEach(async () => {
  await bench.empty()
  rmSync(bench.dataDir, { recursive: true, force: true })
})
afterAll(() => bench.close())

const ids = async () => (await bench.sql`select id from tenements order by id`).map(({ id }) => id)
const fetchArcgis = () =>
  bench.fetch("wa", { kind: "arcgis", url: `${bench.server.url}/MapServer/3` })

test("an ArcGIS layer is paged by its object ids and counted before and after", async () => {
  bench.server.answer(arcgis(() => titles(5)))
  const { outcome, files, reason } = await fetchArcgis()
  expect([outcome, reason]).toEqual(["published", null])
  expect(await ids()).toHaveLength(5)
  const pages = bench.server.asked.map(query).filter((each) => each.has("resultOffset"))
  expect(pages.map((each) => each.get("resultOffset"))).toEqual(["0", "1", "2", "3"])
  expect(pages[0]?.get("orderByFields")).toBe("OBJECTID")
  expect(bench.server.asked).toHaveLength(7)
  const raw = await Bun.file(files[0] ?? "").json()
  expect(raw.features).toEqual(titles(5).map((attributes) => ({ attributes })))
})

test("an ArcGIS layer that grows while it is paged is read again", async () => {
  bench.server.answer(arcgis((nth) => titles(nth < 4 ? 4 : 5)))
  expect((await fetchArcgis()).outcome).toBe("published")
  expect(await ids()).toHaveLength(5)
})

test("an ArcGIS layer that repeats a record is read again, and fails if it always does", async () => {
  bench.server.answer(arcgis(() => [title(1), title(2), title(2), title(3)]))
  expect(await fetchArcgis()).toMatchObject({
    outcome: "failed",
    reason: `Cannot fetch ${bench.server.url}/MapServer/3: each of 4 times that it was read, the record 2 came twice`,
  })
  expect(await bench.releases()).toBe(0)
})

test("a page that ends too early is noticed by the count", async () => {
  const whole = arcgis(() => titles(4))
  let features: object[] = []
  bench.server.answer((asked, nth) =>
    query(asked).get("resultOffset") === "1" ? json({ features }) : whole(asked, nth),
  )
  expect((await fetchArcgis()).reason).toContain("a page was empty although more should follow")
  features = [{ attributes: title(2) }]
  expect((await fetchArcgis()).reason).toContain("only 2 of 4 records came")
})

test("a page that fails for a moment is asked for again, without its beginning", async () => {
  const whole = arcgis(() => titles(4))
  let failures = 0
  bench.server.answer((asked, nth) => {
    if (query(asked).get("resultOffset") !== "1") return whole(asked, nth)
    failures++
    if (failures === 1) return reply(503, {})
    if (failures === 2) return json({ error: { code: 500, message: "Timeout" } })
    if (failures === 3) return plain('{"features":[')
    return whole(asked, nth)
  })
  expect((await fetchArcgis()).outcome).toBe("published")
  const starts = bench.server.asked.map(query).filter((each) => each.get("resultOffset") === "0")
  expect(starts).toHaveLength(1)
})

test("an ArcGIS error with status 200 is one, and says when a sign-in is wanted", async () => {
  bench.server.answer(() => json({ error: { code: 499, message: "Token Required" } }))
  expect((await fetchArcgis()).reason).toContain(
    'it answers error 499, "Token Required", so it wants a sign-in',
  )
  bench.server.answer(() => json({ currentVersion: 11 }))
  expect((await fetchArcgis()).reason).toContain("it is not the address of an ArcGIS layer")
  bench.server.answer(arcgis(() => []))
  expect((await fetchArcgis()).reason).toContain("it has no records")
})

test("the same records of a layer are a further observation, so that what is missing can go", async () => {
  bench.server.answer(arcgis(() => titles(30)))
  await fetchArcgis()
  bench.server.answer(arcgis(() => titles(29)))
  for (const hours of [24, 48]) {
    bench.clock.now = new Date(bench.clock.now.getTime() + hours * 3_600_000)
    await fetchArcgis()
  }
  expect(await ids()).toHaveLength(29)
})

test("several ArcGIS layers are one set", async () => {
  const [first, second] = [arcgis(() => titles(3)), arcgis(() => titles(5).slice(3))]
  bench.server.answer((asked, nth) =>
    (asked.target.includes("/MapServer/3") ? first : second)(asked, nth),
  )
  const url = [3, 4].map((number) => `${bench.server.url}/MapServer/${number}`)
  expect((await bench.fetch("wa", { kind: "arcgis", url })).outcome).toBe("published")
  expect(await ids()).toHaveLength(5)
})

const fetchWfs = () =>
  bench.fetch("wa", {
    kind: "wfs",
    url: `${bench.server.url}/wfs?map=titles`,
    type_name: "ns:titles",
    sort_by: "tenid",
    page_size: 2,
  })

test("a WFS layer is paged in the order of an attribute and counted before and after", async () => {
  bench.server.answer(wfs(() => titles(5)))
  expect((await fetchWfs()).outcome).toBe("published")
  expect(await ids()).toHaveLength(5)
  const asked = bench.server.asked.map(query)
  expect(asked.map((each) => each.get("startIndex"))).toEqual([null, "0", "1", "2", "3", null])
  expect(Object.fromEntries(asked[1] ?? [])).toEqual({
    map: "titles",
    service: "WFS",
    version: "2.0.0",
    request: "GetFeature",
    typeNames: "ns:titles",
    outputFormat: "application/json",
    sortBy: "tenid",
    count: "2",
    startIndex: "0",
  })
})

test("a WFS layer that shrinks while it is paged is read again", async () => {
  bench.server.answer(wfs((nth) => titles(nth < 3 ? 5 : 4)))
  expect((await fetchWfs()).outcome).toBe("published")
  expect(await ids()).toHaveLength(4)
})

test("an exception of a WFS service is told", async () => {
  bench.server.answer(() =>
    plain(
      "<ows:ExceptionReport><ows:ExceptionText>Unknown type</ows:ExceptionText></ows:ExceptionReport>",
    ),
  )
  expect((await fetchWfs()).reason).toContain('it answers with an error, "Unknown type"')
})
