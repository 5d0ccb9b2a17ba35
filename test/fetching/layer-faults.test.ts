/** A map service that misbehaves, or changes while it is paged, leads to no hole and to no duplicate. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { type FetchBench, fetchBench } from "./fetch-bench.ts"
import { arcgis, hits, json, query, title, titles, wfs } from "./map-servers.ts"
import { type Asked, plain, type Reply, reply } from "./misbehaving-server.ts"

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
const fetchWfs = (entry: object = {}) =>
  bench.fetch("wa", {
    kind: "wfs",
    url: `${bench.server.url}/wfs`,
    type_name: "ns:titles",
    sort_by: "ns:tenid",
    page_size: 2,
    ...entry,
  })

type Answering = (asked: Asked, nth: number) => Reply
const isPage = (asked: Asked) => /startIndex|resultOffset/.test(asked.target)
/** The pages of `service` as if each began where `offsetOf` says. */
const shifted =
  (service: Answering, offsetOf: (offset: number) => number): Answering =>
  (asked, nth) => {
    const name = query(asked).has("resultOffset") ? "resultOffset" : "startIndex"
    const moved = new URL(asked.target, "http://x")
    if (isPage(asked)) {
      moved.searchParams.set(name, String(offsetOf(Number(moved.searchParams.get(name)))))
    }
    return service({ ...asked, target: moved.pathname + moved.search }, nth)
  }

let made = 0
const noIds = () => undefined
/** As servers make them for layers without a key: other ones in each response. */
const newIds = () => `titles.fid-${++made}`

test.each([
  ["with ids", undefined],
  ["without ids", noIds],
  ["with new ids in each response", newIds],
])("a WFS layer %s is refused where its server ignores startIndex", async (_, idOf) => {
  bench.server.answer(
    shifted(
      wfs(() => titles(6), idOf),
      () => 0,
    ),
  )
  const { outcome, reason } = await fetchWfs()
  expect(outcome).toBe("failed")
  expect(reason).toContain("each of 4 times that it was read, it answered the same page twice")
  expect(await bench.releases()).toBe(0)
})

test("an ArcGIS layer is refused where its server ignores resultOffset", async () => {
  bench.server.answer(
    shifted(
      arcgis(() => titles(6)),
      () => 0,
    ),
  )
  expect((await fetchArcgis()).reason).toContain("it answered the same page twice")
})

test.each([
  ["without ids", noIds],
  ["with new ids in each response", newIds],
])("a WFS layer %s is loaded by the values that it is sorted by", async (_, idOf) => {
  bench.server.answer(wfs(() => titles(5), idOf))
  expect(await fetchWfs()).toMatchObject({ outcome: "published", reason: null })
  expect(await ids()).toHaveLength(5)
})

test.each([
  ["without ids", noIds],
  ["with new ids in each response", newIds],
])("a WFS layer %s is refused where two records are sorted by the same value", async (_, idOf) => {
  const records = titles(5).map((record) => ({ ...record, tenid: record.tenid.slice(0, -1) }))
  bench.server.answer(wfs(() => records, idOf))
  expect((await fetchWfs()).reason).toContain(
    'two records came with the same tenid, "E  040000", and no lasting id',
  )
  bench.server.answer(wfs(() => records, idOf))
  expect((await fetchWfs({ sort_by: "ns:tenid ASC,ns:OBJECTID D" })).outcome).toBe("published")
})

test("lasting ids tell the records of a WFS layer apart that are sorted by the same value", async () => {
  bench.server.answer(wfs(() => titles(5).map((record) => ({ ...record, tenid: "E" }))))
  expect((await fetchWfs()).reason).toBeNull()
  expect((await bench.sql`select last_outcome from sources`)[0]?.last_outcome).toBe("published")
})

test("a record of a WFS layer with neither an id nor a value that it is sorted by is a fault", async () => {
  bench.server.answer(wfs(() => titles(3), noIds))
  expect((await fetchWfs({ sort_by: "tenid,name" })).reason).toContain(
    "a feature of it has neither an id nor a value of name",
  )
})

test.each([
  ["ArcGIS", arcgis, fetchArcgis],
  ["WFS", wfs, fetchWfs],
  ["WFS without ids", (at: () => ReturnType<typeof titles>) => wfs(at, noIds), fetchWfs],
])(
  "a record of an %s layer goes and another comes while it is paged",
  async (_, service, fetched) => {
    // The counts agree, and yet the record 3 would be in no page.
    let pages = 0
    const later = [...titles(6).slice(1), title(7)]
    const answering = service(() => (pages > 1 ? later : titles(6)))
    bench.server.answer((asked, nth) => {
      if (isPage(asked)) pages++
      return answering(asked, nth)
    })
    expect((await fetched()).outcome).toBe("published")
    expect(await ids()).toEqual(later.map(({ OBJECTID }) => `WA-E04-${OBJECTID}`))
  },
)

test("pages in another order than asked for are refused, unless it is always the same one", async () => {
  const backwards = titles(6).reverse()
  bench.server.answer(arcgis(() => backwards))
  expect((await fetchArcgis()).outcome).toBe("published")
  expect(await ids()).toHaveLength(6)
  bench.server.answer(arcgis((nth) => (nth % 2 ? backwards : titles(6))))
  expect((await fetchArcgis()).reason).toMatch(
    /a page did not begin with the record that ended the page before|came twice|same page twice/,
  )
})

test("a server that says that more follows, whatever it sends, is left at the end", async () => {
  const whole = arcgis(() => titles(4))
  bench.server.answer((asked, nth) => {
    const { pieces } = whole(asked, nth)
    const body = JSON.parse(String(pieces[1]))
    return json(isPage(asked) ? { ...body, exceededTransferLimit: true } : body)
  })
  expect((await fetchArcgis()).outcome).toBe("published")
  expect(await ids()).toHaveLength(4)
})

test("object ids beyond 2^53 stay apart", async () => {
  const beyond = ["9007199254740992", "9007199254740993", "9007199254740994"]
  const whole = arcgis(() => titles(3))
  bench.server.answer((asked, nth) => {
    const { pieces } = whole(asked, nth)
    const body = String(pieces[1]).replace(
      /"OBJECTID":(\d)/g,
      (_, number) => `"OBJECTID":${beyond[number - 1]}`,
    )
    return plain(body)
  })
  const { outcome, reason, files } = await fetchArcgis()
  expect([outcome, reason]).toEqual(["published", null])
  const content = await Bun.file(files[0] ?? "").text()
  for (const id of beyond) expect(content).toContain(id)
})

test("a WFS layer whose pages do not know the number of records is read to its end", async () => {
  const whole = wfs(() => titles(5))
  bench.server.answer((asked, nth) => {
    const { pieces } = whole(asked, nth)
    if (!isPage(asked)) return plain(String(pieces[1]))
    return json({ ...JSON.parse(String(pieces[1])), numberMatched: "unknown" })
  })
  expect((await fetchWfs()).outcome).toBe("published")
  expect(await ids()).toHaveLength(5)
  bench.server.answer(() => hits("unknown"))
  expect((await fetchWfs()).reason).toContain("it does not say how many records it has")
})

const exception =
  "<ows:ExceptionReport><ows:Exception><ows:ExceptionText>Cannot sort</ows:ExceptionText></ows:Exception></ows:ExceptionReport>"
test.each([
  ["in XML", plain(exception), 'it answers with an error, "Cannot sort"'],
  [
    "in JSON",
    json({
      version: "2.0.0",
      exceptions: [{ code: "InvalidParameterValue", text: "Cannot sort" }],
    }),
    'it answers with an error, "Cannot sort"',
  ],
  ["with its status", reply(400, {}, exception), 'it answers 400, "Cannot sort"'],
  ["as not modified", reply(304, {}), "it answers 304"],
])("an exception of a WFS service for a page, %s, is told", async (_, answer, message) => {
  const whole = wfs(() => titles(3))
  bench.server.answer((asked, nth) => (isPage(asked) ? answer : whole(asked, nth)))
  expect((await fetchWfs()).reason).toEndWith(`: ${message}`)
})

test("a page that is too large, also after its decompression, says so", async () => {
  const whole = wfs(() => titles(3))
  const large = `{"features":[{"geometry":"${"0".repeat(2 * 1024 ** 2)}"}]}`
  bench.server.answer((asked, nth) => (isPage(asked) ? plain(large) : whole(asked, nth)))
  const message = "a page of it is larger than 1 MB; ask for fewer records at once with page_size"
  expect((await fetchWfs()).reason).toEndWith(message)
  const packed = reply(200, { "Content-Encoding": "gzip" }, Bun.gzipSync(large))
  bench.server.answer((asked, nth) => (isPage(asked) ? packed : whole(asked, nth)))
  expect((await fetchWfs()).reason).toEndWith(message)
  expect(bench.server.asked).toHaveLength(2)
  const cut = reply(200, { "Content-Encoding": "gzip" }, Bun.gzipSync("{}").slice(0, -9))
  bench.server.answer((asked, nth) => (isPage(asked) ? cut : whole(asked, nth)))
  expect((await fetchWfs()).reason).toEndWith("its compressed data is truncated or corrupt")
})
