/** A layer of a map service is downloaded whole, page by page, or not at all and with the cause named. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { arcgisLayer } from "../../../src/ingest/fetching/arcgis.ts"
import { FetchError } from "../../../src/ingest/fetching/fetch-error.ts"
import { downloadLayer } from "../../../src/ingest/fetching/layer.ts"
import { wfsLayer } from "../../../src/ingest/fetching/wfs.ts"
import { afterFile, directoryOfFile } from "../../support/of-file.ts"
import { testAccess } from "./access.ts"
import { arcgis, hits, json, query, title, titles, wfs } from "./map-servers.ts"
import {
  type DataRequest,
  misbehavingServer,
  plain,
  type Responder,
  reply,
} from "./misbehaving-server.ts"

const path = join(directoryOfFile(), "layer")
const server = await misbehavingServer()
afterFile(server.close)

const kinds = { ArcGIS: arcgis, WFS: wfs }
type Kind = keyof typeof kinds

async function downloaded(kind: Kind, sort_by = "ns:tenid", access = testAccess()) {
  const url = new URL(`${server.url}/${kind}/3?map=titles`)
  const entry = {
    kind: "wfs",
    url: url.href,
    type_name: "ns:titles",
    sort_by,
    page_size: 2,
  } as const
  const layer =
    kind === "WFS" ? wfsLayer(url, entry) : await arcgisLayer(url, { where: "a or b" }, access)
  await downloadLayer(layer, path, access)
  return Bun.file(path).json()
}
async function failure(...args: Parameters<typeof downloaded>): Promise<string> {
  const outcome = await downloaded(...args).catch((error: unknown) => error)
  if (outcome instanceof FetchError) return outcome.message.replace(/^Cannot fetch \S+: /, "")
  throw new Error(`Not refused: ${JSON.stringify(outcome)}`, { cause: outcome })
}

/** One record with a shape, on a page with other members. */
const arcgisWithShapes =
  (page: object, currentVersion?: number): Responder =>
  (request) => {
    const fields = [{ name: "OBJECTID", type: "esriFieldTypeOID" }]
    if (!request.target.includes("/query")) return json({ fields, currentVersion })
    if (query(request).has("returnCountOnly")) return json({ count: 1 })
    return json({ ...page, features: [{ attributes: { OBJECTID: 1 }, geometry: { rings: [] } }] })
  }

test("An ArcGIS layer is paged by its object ids and counted before and after", async () => {
  server.respond(arcgis(() => titles(5)))
  expect(await downloaded("ArcGIS")).toEqual({
    objectIdFieldName: "OBJECTID",
    spatialReference: { wkid: 7844 },
    features: titles(5).map((attributes) => ({ attributes })),
  })
  const requests = server.requests.map(query)
  expect(requests.map((each) => each.get("where"))).toEqual([
    null,
    "a or b",
    "a or b",
    "(a or b) AND OBJECTID > 2",
    "(a or b) AND OBJECTID > 4",
    "a or b",
  ])
  expect(Object.fromEntries(requests[2] ?? [])).toEqual({
    map: "titles",
    where: "a or b",
    outFields: "*",
    outSR: "7844",
    orderByFields: "OBJECTID",
    resultRecordCount: "2",
    f: "json",
  })
})

test.each([
  [10.51, { wkid: 4326 }, 4326],
  [11, { wkid: 104024, latestWkid: 7844 }, 7844],
])(
  "A request to ArcGIS %d names a system of degrees that it supports",
  async (currentVersion, spatialReference, wkid) => {
    server.respond(arcgisWithShapes({ spatialReference }, currentVersion))
    expect((await downloaded("ArcGIS")).spatialReference).toEqual({ wkid })
    const pages = server.requests.map(query).filter((each) => each.has("outSR"))
    expect(pages.map((each) => each.get("outSR"))).toEqual([String(wkid)])
  },
)

test("Shapes in another system than the requested one, or without any, are rejected", async () => {
  server.respond(arcgisWithShapes({ spatialReference: { wkid: 102100, latestWkid: 3857 } }))
  expect(await failure("ArcGIS")).toBe("it returned shapes in EPSG:3857, not in EPSG:7844")
  server.respond(arcgisWithShapes({}))
  expect(await failure("ArcGIS")).toBe("it returned shapes in an unknown system, not in EPSG:7844")
})

test("A WFS layer is paged in the order of an attribute and counted before and after", async () => {
  server.respond(wfs(() => titles(5)))
  const { features } = await downloaded("WFS", "ns:tenid DESC")
  expect(features).toEqual(titles(5).map((properties) => ({ type: "Feature", properties })))
  const requests = server.requests.map(query)
  expect(requests.map((each) => each.get("startIndex"))).toEqual([null, "0", "2", "4", null])
  expect(Object.fromEntries(requests[1] ?? [])).toEqual({
    map: "titles",
    service: "WFS",
    version: "2.0.0",
    request: "GetFeature",
    typeNames: "ns:titles",
    outputFormat: "application/json",
    srsName: "EPSG:4326",
    sortBy: "ns:tenid DESC",
    count: "2",
    startIndex: "0",
  })
})

test.each([
  ["ArcGIS", 4, 5],
  ["WFS", 4, 5],
  ["ArcGIS", 5, 4],
  ["WFS", 5, 4],
] as const)(
  "An %s layer that had %i records before and %i after is rejected",
  async (kind, from, to) => {
    server.respond(kinds[kind]((nth) => titles(nth <= 3 ? from : to)))
    expect(await failure(kind)).toMatch(
      /^it changed while it was read|^only 4 of 5 records were returned$/,
    )
  },
)

test("An ArcGIS record added or removed meanwhile shifts no other record", async () => {
  let pages = 0
  const later = [...titles(6).slice(1), title(7)]
  const respond = arcgis(() => (pages > 1 ? later : titles(6)))
  server.respond((request, nth) => {
    if (query(request).has("resultRecordCount")) pages++
    return respond(request, nth)
  })
  const { features } = await downloaded("ArcGIS")
  expect(features.map((each: { attributes: object }) => each.attributes)).toEqual(titles(6))
})

test("Pages that repeat records are rejected", async () => {
  const unpaged =
    (kind: Kind): Responder =>
    (request, nth) => {
      const url = new URL(request.target, "http://x")
      if (url.searchParams.has("startIndex")) url.searchParams.set("startIndex", "0")
      if (/OBJECTID/.test(url.searchParams.get("where") ?? "")) url.searchParams.delete("where")
      return kinds[kind](() => titles(6))({ ...request, target: url.pathname + url.search }, nth)
    }
  server.respond(unpaged("ArcGIS"))
  expect(await failure("ArcGIS")).toBe("the record 1 was returned twice")
  server.respond(unpaged("WFS"))
  expect(await failure("WFS")).toBe('the record "E  0400001" was returned twice')
})

test("A WFS layer must be sorted by unique values", async () => {
  server.respond(wfs(() => titles(5).map((record) => ({ ...record, tenid: "E" }))))
  expect(await failure("WFS")).toBe('the record "E" was returned twice')
  expect((await downloaded("WFS", "ns:tenid ASC,ns:OBJECTID D")).features).toHaveLength(5)
  expect(await failure("WFS", "name,number")).toBe("a feature has no value of name, number")
})

const isPage = (request: DataRequest) => /startIndex|resultRecordCount/.test(request.target)
/** The service of that kind, with other responses for its pages. */
const withPages = (kind: Kind, respond: Responder): Responder => {
  const whole = kinds[kind](() => titles(4))
  return (request, nth) => (isPage(request) ? respond(request, nth) : whole(request, nth))
}

test("A temporary failure repeats only its own page", async () => {
  const whole = arcgis(() => titles(4))
  let failures = 0
  server.respond((request, nth) => {
    if (!query(request).get("where")?.includes("> 2") || ++failures > 2) return whole(request, nth)
    const busy = { error: { code: 500, message: "Timeout" } }
    return failures === 1 ? plain('{"features":[') : json(busy)
  })
  expect((await downloaded("ArcGIS")).features).toHaveLength(4)
  expect(server.requests.filter(isPage)).toHaveLength(4)
})

const exception =
  "<ows:ExceptionReport><ows:Exception><ows:ExceptionText>Cannot sort</ows:ExceptionText></ows:Exception></ows:ExceptionReport>"
test.each([
  ["ArcGIS", json({ features: [] }), "only 0 of 4 records were returned"],
  ["ArcGIS", json({}), 'a page has no features, but "{}"'],
  ["ArcGIS", json({ features: [{}] }), "a feature has no OBJECTID"],
  [
    "ArcGIS",
    json({ error: { code: 499, message: "Token Required" } }),
    'it returned error 499, "Token Required"',
  ],
  ["WFS", plain(exception), 'the response is not a JSON object, but "Cannot sort"'],
  [
    "WFS",
    json({ exceptions: [{ text: "Cannot sort" }] }),
    'a page has no features, but "{"exceptions":[{"text":"Cannot sort"}]}"',
  ],
  ["WFS", reply(400, {}, exception), 'it returned 400: "Cannot sort"'],
  [
    "WFS",
    reply(404, {}, "<!DOCTYPE html><title>Gone</title>"),
    "it returned 404. Check the address",
  ],
  ["WFS", reply(304, {}), "it returned 304"],
] as const)("A malformed page of an %s layer is an error: %#", async (kind, response, message) => {
  server.respond(withPages(kind, () => response))
  expect(await failure(kind)).toBe(message)
})

test("A layer that does not exist, has no records or no count is an error", async () => {
  server.respond(() => json({ currentVersion: 11 }))
  expect(await failure("ArcGIS")).toContain("it is not the address of an ArcGIS layer")
  server.respond(arcgis(() => []))
  expect(await failure("ArcGIS")).toBe("it has no records")
  server.respond(() => hits("unknown"))
  expect(await failure("WFS")).toBe("its response has no number of records")
})

test("The error for a page that is too large names the cure", async () => {
  const large = `{"features":[{"geometry":"${"0".repeat(2 * 1024 ** 2)}"}]}`
  for (const response of [
    plain(large),
    reply(200, { "Content-Encoding": "gzip" }, Bun.gzipSync(large)),
  ]) {
    server.respond(withPages("WFS", () => response))
    expect(await failure("WFS")).toBe(
      "a page is larger than 1 MB; ask for fewer records at once with page_size",
    )
    expect(server.requests).toHaveLength(2)
  }
})

test("A layer that is too large is rejected", async () => {
  server.respond(wfs(() => titles(40)))
  const message = await failure("WFS", "tenid", testAccess({ maxBytes: 3_000 }))
  expect(message).toBe("it is larger than 0 MB")
})
