/** Announcements as an Atom feed (RFC 4287), read with a strict XML parser. */
import { expect, test } from "bun:test"
import { $ } from "bun"
import { none, type ReportFixture } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { faultsOf, readList } from "./bodies.ts"

const report = (hash: string, further: Partial<ReportFixture> = {}): ReportFixture => ({
  hash,
  asx_code: "BIG",
  title: "Drilling",
  type: null,
  published_at: "2025-01-01T00:00:00Z",
  url: null,
  ...further,
})

const hostile = `</title><script>alert(1)</script> & "q" 'a' ]]> &lt; <!-- \u{FFFE}é😀\u202e`

const records = {
  ...none,
  reports: [
    ...Array.from({ length: 60 }, (_, index) => report(`many-${index}`)),
    report("new", {
      asx_code: "STR",
      title: hostile,
      type: "Progress <report>; Assays & more",
      published_at: "2026-02-02T02:02:02Z",
      url: "https://example.com/a.pdf?x=1&y='2'",
    }),
    report("older", { asx_code: "STR", published_at: "2026-02-01T00:00:00Z" }),
  ],
}
const service = await serviceOfFile({ records, settings: { BASE_URL: "https://mds.example.com" } })

interface Element {
  name: string
  attributes: Record<string, string>
  text: string
  children: Element[]
}

/** Parsed by expat, which rejects XML that is not well-formed. Names of Atom's namespace only. */
async function parse(xml: string): Promise<Element> {
  const program = `
import json, sys, xml.etree.ElementTree as tree
def read(node):
    space, name = node.tag[1:].split("}")
    assert space == "http://www.w3.org/2005/Atom", node.tag
    attributes = {key: value for key, value in node.attrib.items() if "}" not in key}
    return {"name": name, "attributes": attributes, "text": node.text or "", "children": [read(each) for each in node]}
print(json.dumps(read(tree.fromstring(sys.stdin.buffer.read()))))`
  return JSON.parse(await $`python3 -c ${program} < ${Buffer.from(xml)}`.text())
}

const named = ({ children }: Element, name: string) => children.filter((each) => each.name === name)
const textOf = (element: Element, name: string) => named(element, name).map(({ text }) => text)
const feedOf = async (query: string) => {
  const response = await service.get(`/reports?${query}`)
  expect(response.status).toBe(200)
  return parse(await response.text())
}

test("A feed has the announcements of its query, newest first", async () => {
  const response = await service.get("/reports?format=atom&company=str", {
    token: null,
    headers: { Authorization: `Bearer ${service.tokens.admin}` },
  })
  expect(response.headers.get("content-type")).toBe("application/atom+xml; charset=utf-8")
  expect(response.headers.get("x-total-count")).toBe("2")
  expect(response.headers.get("x-data-release")).toBe("1")
  for (const name of ["link", "x-total-pages", "content-disposition"]) {
    expect(response.headers.has(name)).toBe(false)
  }
  const feed = await parse(await response.text())
  const self = "/api/v1/reports?company=STR&format=atom"
  expect(textOf(feed, "id")).toEqual([`tag:mds.example.com,2026:${self}`])
  expect(textOf(feed, "title")).toEqual(["ASX announcements: company STR"])
  expect(textOf(feed, "updated")).toEqual(["2026-02-02T02:02:02Z"])
  expect(named(feed, "link").map(({ attributes }) => attributes)).toEqual([
    {
      rel: "self",
      type: "application/atom+xml",
      href: `https://mds.example.com${self}`,
    },
  ])
  const [first, second, ...others] = named(feed, "entry")
  if (!first || !second) throw new Error("Too few entries")
  expect(others).toEqual([])
  expect(textOf(first, "id")).toEqual(["tag:mds.example.com,2026:/api/v1/reports/new"])
  expect(textOf(first, "title")).toEqual([`STR: ${hostile.replace("\u{FFFE}", "\uFFFD")}`])
  expect(textOf(first, "updated")).toEqual(["2026-02-02T02:02:02Z"])
  expect(textOf(first, "summary")).toEqual([
    "An announcement of STR: Progress <report>; Assays & more",
  ])
  expect(named(first, "category").map(({ attributes }) => attributes.term)).toEqual([
    "Progress <report>",
    "Assays & more",
  ])
  expect(named(first, "author").flatMap((author) => textOf(author, "name"))).toEqual(["STR"])
  const linksOf = (entry: Element) => named(entry, "link").map(({ attributes }) => attributes)
  expect(linksOf(first)).toEqual([
    { rel: "alternate", href: "https://example.com/a.pdf?x=1&y='2'" },
  ])
  // Without a document: the page of the record, for people.
  expect(linksOf(second)).toEqual([
    { rel: "alternate", href: "https://mds.example.com/explore/reports/older" },
  ])
  expect(named(second, "category")).toEqual([])
})

test("A feed has the newest 50 of a longer list", async () => {
  const feed = await feedOf("format=atom")
  expect(named(feed, "entry")).toHaveLength(50)
  expect(textOf(feed, "title")).toEqual(["ASX announcements"])
  const { data } = await readList(await service.get("/reports"))
  expect(named(feed, "entry").flatMap((entry) => textOf(entry, "id"))).toEqual(
    data.map(({ hash }) => `tag:mds.example.com,2026:/api/v1/reports/${hash}`),
  )
})

test("A hostile query and an empty list are valid feeds", async () => {
  const query = `"><x>&'`
  const feed = await feedOf(`format=atom&search=${encodeURIComponent(query)}`)
  expect(named(feed, "entry")).toEqual([])
  expect(textOf(feed, "title")).toEqual([`ASX announcements: search ${query}`])
  // The time of the release.
  expect(textOf(feed, "updated")[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
  expect(named(await feedOf("format=atom&as_of=1&to=2025-06-01"), "entry")).toHaveLength(50)
})

test("Accept selects a feed only where one exists", async () => {
  const typeOf = async (path: string, accept: string) =>
    (await service.get(path, { headers: { Accept: accept } })).headers.get("content-type")
  const atom = "application/atom+xml"
  expect(await typeOf("/reports", atom)).toBe(`${atom}; charset=utf-8`)
  expect(await typeOf("/reports", `${atom}, text/csv;q=0.5`)).toBe(`${atom}; charset=utf-8`)
  expect(await typeOf("/reports", "application/*")).toBe("application/json")
  expect(await typeOf("/reports?format=json", atom)).toBe("application/json")
  for (const path of ["/companies", "/tenements", "/releases", "/reports/new/history"]) {
    expect(await typeOf(path, atom)).toBe("application/json")
    expect(await typeOf(path, `${atom}, text/csv;q=0.5`)).toStartWith("text/csv")
  }
})

test("A feed rejects parameters that feeds lack", async () => {
  const namedIn = async (path: string, headers: Record<string, string> = {}) =>
    (await faultsOf(service, path, { headers })).map(({ parameter, message }) => [
      parameter,
      message,
    ])
  const message = "Must not be given with"
  for (const given of ["page=1", "per_page=5", "all=true", "all=false", "fields=hash"]) {
    const [name = ""] = given.split("=")
    expect(await namedIn(`/reports?format=atom&${given}`)).toEqual([
      [name, `${message} format=atom`],
    ])
    expect(await namedIn(`/reports?${given}`, { Accept: "application/atom+xml" })).toEqual([
      [name, `${message} Accept: application/atom+xml; add format=json for the list`],
    ])
  }
  const needs = "Needs format csv or tsv"
  for (const format of ["atom", "json", "ndjson"]) {
    for (const given of ["bom=true", "formula_guard=false"]) {
      const [name = ""] = given.split("=")
      expect(await namedIn(`/reports?format=${format}&${given}`)).toEqual([[name, needs]])
    }
  }
  for (const path of ["/companies", "/companies/BIG/subsidiaries", "/releases"]) {
    expect(await namedIn(`${path}?format=atom`)).toEqual([
      ["format", "Must be one of json, csv, tsv, ndjson, parquet"],
    ])
  }
  expect(await namedIn("/reports?format=rss")).toEqual([
    ["format", "Must be one of json, csv, tsv, ndjson, parquet, atom"],
  ])
})
