/** The explorer's lists show the records of the API's response to the same query, and describe the query in words. */
import { describe, expect, test } from "bun:test"
import { fieldNames } from "../../../src/data/resources/resource.ts"
import { tenements } from "../../../src/data/resources/tenements.ts"
import { dollars } from "../../../src/web/pages/kit/format.ts"
import { type ListBody, readList } from "../../contract/bodies.ts"
import { awkward } from "../../support/fixtures.ts"
import { serviceOfFile } from "../../support/service.ts"
import {
  addressesIn,
  barsOf,
  cellsOf,
  faultAt,
  leadOf,
  linkTo,
  optionsOf,
  textOf,
} from "./page-reader.ts"
import { signedInVisitor } from "./visitor.ts"

const service = await serviceOfFile()
const person = await signedInVisitor(service, "admin@example.com")

type Shown = ListBody["data"][number]

const number = (value: unknown, decimals = 0) =>
  value === null
    ? "–"
    : Number(value).toLocaleString("en-AU", {
        minimumFractionDigits: decimals,
        maximumFractionDigits: 6,
      })
const area = (value: unknown) =>
  typeof value === "number" && value > 0 && value < 0.0005
    ? "<0.001"
    : number(typeof value === "number" ? Number(value.toFixed(3)) : value, 3)
const text = (value: unknown) => (value === null || value === "" ? "–" : String(value))
const sumOf = (value: unknown) =>
  typeof value === "number" ? dollars(value).text.replace(/<[^>]*>/g, "") : "–"
const lines = (value: unknown) =>
  text(value)
    .split(";")
    .map((each) => each.trim())
    .filter(Boolean)
    .join(" | ") || text(value)
const sydneyTime = new Intl.DateTimeFormat("sv-SE", {
  timeZone: "Australia/Sydney",
  dateStyle: "short",
  timeStyle: "short",
})
const sydney = (value: unknown) => `${sydneyTime.format(new Date(String(value)))} Sydney`

const companiesOf = (id: unknown) =>
  awkward.tenements.find((each) => each.id === id)?.asx_codes.join(" | ") || "–"

/** The cells of a record in each list. */
const rows: Record<string, (record: Shown) => string[]> = {
  companies: (c) => [
    text(c.asx_code),
    text(c.company_name),
    text(c.gics_sector),
    c.is_active ? "active" : "inactive",
    c.total_tenements === 0 ? "– Not matched to any holder yet" : number(c.total_tenements),
    sumOf(c.market_cap_aud),
  ],
  tenements: (t) => [
    text(t.tenement_id),
    text(t.state),
    text(t.status),
    text(t.type),
    lines(t.holder_name),
    companiesOf(t.id),
    text(t.grant_date),
    text(t.expiry_date),
    area(t.area_km2),
  ],
  reports: (r) => [
    text(r.title),
    text(r.asx_code),
    lines(r.type),
    sydney(r.published_at),
    r.url === null ? "–" : "Open",
  ],
  subsidiaries: (s) => [
    text(s.name),
    text(s.parent_asx_code),
    text(s.country),
    number(s.ownership_percentage, 2),
  ],
}

const lists: [path: string, query: string, kind: string][] = [
  ["/companies", "", "companies"],
  ["/companies", "active=false", "companies"],
  ["/companies", "search=ore&sort=market_cap&order=desc", "companies"],
  ["/companies", "sector=M%C3%89TAUX+PR%C3%89CIEUX", "companies"],
  ["/tenements", "", "tenements"],
  ["/tenements", "state=WA&status=GRANTED", "tenements"],
  ["/tenements", "holder=%25", "tenements"],
  ["/reports", "", "reports"],
  ["/reports", "company=big&from=2026-01-01", "reports"],
  ["/companies/BIG/tenements", "", "tenements"],
  ["/companies/big/tenements", "state=WA", "tenements"],
  ["/companies/BIG/subsidiaries", "", "subsidiaries"],
]

describe.each(lists)("%s?%s", (path, query, kind) => {
  test("The pages of a list show every row of the API's list in order, with the total", async () => {
    const zone = path === "/reports" ? "&timezone=Australia/Sydney" : ""
    const all = await readList(await service.get(`${path}?${query}&per_page=100${zone}`))
    const shown: string[][] = []
    let next: string | undefined = `/explore${path}?${query}&per_page=8`
    for (let page = 1; next && page < 100; page++) {
      const response = await person.read(next)
      shown.push(...cellsOf(response))
      const lead = leadOf(response)
      expect(lead).toStartWith(`${number(all.meta.total)} `)
      expect(lead).toEndWith(", at release 1")
      const last = Math.min(page * 8, all.meta.total)
      if (all.meta.total > 0) {
        expect(response).toContain(
          `Rows ${number((page - 1) * 8 + 1)}–${number(last)} of ${number(all.meta.total)}`,
        )
      }
      next = linkTo(response, "Next")
    }
    const row = rows[kind]
    expect(shown).toEqual(all.data.map((record) => row?.(record) ?? []))
  })
})

test("The list of all subsidiaries has those of every company", async () => {
  const page = await person.read("/explore/subsidiaries?per_page=100")
  const names = awkward.subsidiaries.map(({ name }) => name)
  expect(
    cellsOf(page)
      .map(([name]) => name)
      .sort(),
  ).toEqual(names.sort())
  expect(leadOf(page)).toBe(`${names.length} subsidiaries, at release 1`)
  const response = await person.get("/explore/subsidiaries?company=big&per_page=25")
  expect([response.status, response.headers.get("location")]).toEqual([
    303,
    "/explore/companies/big/subsidiaries?per_page=25",
  ])
})

test("The sentence has the filters in words", async () => {
  const page = await person.read(
    "/explore/tenements?holder=Ore+%22%3C&state=WA&status=granted&type=x",
  )
  expect(leadOf(page)).toBe(
    '0 tenements in Western Australia with the status “granted” of the type “x” held by names containing “Ore "<”, at release 1',
  )
  const reports = await person.read("/explore/reports?company=big&from=2026-01-01&to=2026-01-31")
  expect(leadOf(reports)).toMatch(
    /^\d+ announcements? of BIG from 2026-01-01 \(Sydney\) to 2026-01-31 \(Sydney\), at/,
  )
})

test("The form shows each filter's value with a link that clears only it", async () => {
  const page = await person.read("/explore/tenements?holder=ore&state=WA&per_page=5&page=1")
  expect(page).toContain('name="holder" type="search" value="ore"')
  expect(page).toContain('<option value="WA" selected>')
  expect(linkTo(page, "held by names containing “ore” ×")).toBe(
    "/explore/tenements?state=WA&per_page=5",
  )
  expect(linkTo(page, "in Western Australia ×")).toBe("/explore/tenements?holder=ore&per_page=5")
})

test("Empty fields of the form do not appear in the address", async () => {
  const response = await person.get("/explore/tenements?holder=&state=WA&status=&type=&as_of=")
  expect([response.status, response.headers.get("location")]).toEqual([
    303,
    "/explore/tenements?state=WA",
  ])
  const none = await person.get("/explore/tenements?holder=&state=")
  expect(none.headers.get("location")).toBe("/explore/tenements")
})

test("A token in a page's address is ignored, and appears in no link", async () => {
  const token = service.tokens.standard
  const page = await person.read(`/explore/tenements?state=WA&per_page=1&api_key=${token}&_=7`)
  expect(page).not.toContain(token)
  expect(linkTo(page, "Next")).toBe("/explore/tenements?state=WA&per_page=1&page=2")
})

test("A list shows its address in the documented spelling, without parameters that are empty", async () => {
  const sent = await person.get("/explore/companies?search&sector=&active=FALSE&sort=NAME")
  const clean = sent.headers.get("location") ?? ""
  expect(clean).toBe("/explore/companies?active=FALSE&sort=NAME")
  const page = await person.read(clean)
  const documented = await person.read("/explore/companies?active=false&sort=name")
  expect(leadOf(documented)).toContain("inactive")
  const shown = (html: string) => [leadOf(html), addressesIn(html)]
  expect(shown(page)).toEqual(shown(documented))
})

test("A filter offers the values left by the other filters, with their counts", async () => {
  const page = await person.read("/explore/tenements?state=WA&status=nonsense")
  const inState = awkward.tenements.filter(({ state }) => state === "WA")
  const statuses = inState.flatMap(({ status }) => status ?? [])
  const offered = optionsOf(page, "status") ?? []
  expect(offered.slice(0, 2)).toEqual(["", "nonsense"])
  const folded = (values: string[]) => [...new Set(values.map((each) => each.toLowerCase()))].sort()
  expect(folded(offered.slice(2))).toEqual(folded(statuses))
  expect(offered.slice(2)).toHaveLength(folded(statuses).length)
  const granted = statuses.filter((each) => each.toLowerCase() === "granted")
  expect(page).toContain(`>granted (${granted.length})</option>`)
  const both = await person.read("/explore/tenements?state=WA&status=granted")
  expect(both).toContain(`<option value="WA" selected>WA (${granted.length})</option>`)
  expect(optionsOf(both, "state")?.length).toBeGreaterThan(2)
})

test.each([
  ["/tenements", "", "By status"],
  ["/tenements", "", "By state"],
  ["/tenements", "holder=ore", "By state"],
  ["/companies", "", "By sector"],
  ["/reports", "", "By ASX type"],
  ["/companies/BIG/tenements", "", "By status"],
])(
  "Each bar of %s?%s %s shows the total of the list that it links to",
  async (path, query, heading) => {
    const { meta } = await readList(await service.get(`${path}?${query}`))
    const bars = barsOf(await person.read(`/explore${path}?${query}`), heading) ?? []
    expect(bars.length).toBeGreaterThan(0)
    for (const { label, records, href } of bars) {
      if (href === undefined) expect(label).toBe("unknown")
      else {
        const { pathname, search } = new URL(href, service.url)
        const behind = await readList(await service.get(pathname.slice("/explore".length) + search))
        expect([label, behind.meta.total]).toEqual([label, records])
      }
    }
    // A report of several types counts for each.
    const sum = bars.reduce((total, { records }) => total + records, 0)
    if (heading !== "By ASX type") expect(sum).toBe(meta.total)
  },
)

test("The links in a list's header sort it and show its order", async () => {
  const heads = (page: string) => /<thead>(.*?)<\/thead>/s.exec(page)?.[1] ?? ""
  const page = await person.read("/explore/companies?search=ore&page=1")
  expect(heads(page).match(/<th [^>]*aria-sort="ascending"[^>]*><a[^>]*>Company/)).not.toBeNull()
  expect(linkTo(page, "Company")).toBe("/explore/companies?search=ore&order=desc")
  const byCap = linkTo(page, "Market cap, A$") ?? ""
  expect(byCap).toBe("/explore/companies?search=ore&sort=market_cap&order=desc")
  const sorted = heads(await person.read(byCap))
  expect(sorted.match(/aria-sort/g)).toHaveLength(1)
  expect(sorted).toMatch(/<th [^>]*aria-sort="descending"[^>]*><a[^>]*>Market cap/)
  expect(heads(page).match(/<a [^>]*>[^<]*<\/a> <span aria-hidden="true">[▲↕]</g)).toHaveLength(4)
  const sorting = "search=ore&sort=total_tenements&order=desc"
  expect(heads(page)).toContain(`href="/explore/companies?${sorting.replaceAll("&", "&amp;")}"`)
  const byTenements = await person.read(`/explore/companies?${sorting}`)
  const tenements = cellsOf(byTenements).map((cells) => Number(cells[4]?.replace(/\D/g, "")))
  expect(tenements).toEqual(tenements.toSorted((one, other) => other - one))
  expect(heads(await person.read("/explore/subsidiaries"))).not.toMatch(/aria-sort|↕/)
})

test("A page past the last one, and a list without records, say what to do", async () => {
  const past = await person.read("/explore/tenements?page=99&per_page=3")
  const pages = Math.ceil(awkward.tenements.length / 3)
  expect(past).toContain(`There is no page 99: the list ends at page ${pages}.`)
  const last = await person.read(linkTo(past, "Go to the last page") ?? "")
  expect(cellsOf(last).length).toBeGreaterThan(0)
  expect(linkTo(last, "Next")).toBeUndefined()

  const empty = await person.read("/explore/tenements?holder=nobody+at+all&state=WA")
  expect(empty).toContain("No tenement matches. Remove a filter, or")
  expect(linkTo(empty, "show all tenements")).toBe("/explore/tenements")
  expect(empty).not.toContain("By st")
  expect(empty).toContain("Export")
})

test.each([
  ["/tenements?status=grantd", "with the status “grantd”", "granted", "?status=granted"],
  [
    "/companies?sector=materails&search=a",
    "of the sector “materails”",
    "Materials",
    "?search=a&sector=Materials",
  ],
  ["/reports?type=driling", "of the ASX type “driling”", "Drilling", "?type=Drilling"],
  [
    "/reports?type=quarterly",
    "of the ASX type “quarterly”",
    "Quarterly Activities Report",
    "?type=Quarterly%20Activities%20Report",
  ],
  [
    "/reports?type=quarterly",
    "of the ASX type “quarterly”",
    "category quarterly",
    "?group=quarterly",
  ],
])("%s suggests the nearest value of a record", async (address, words, nearest, query) => {
  const page = await person.read(`/explore${address}`)
  expect(page).toContain(`${words}. Did you mean`)
  const link = linkTo(page, nearest) ?? ""
  expect(link).toBe(`/explore${address.split("?")[0]}${query}`)
  expect(cellsOf(await person.read(link)).length).toBeGreaterThan(0)
})

test("A list suggests no value for an existing or unlike one", async () => {
  for (const query of [
    "status=GRANTED&state=VIC&holder=nobody",
    "status=xyzzy",
    "holder=aardvrk",
  ]) {
    const page = await person.read(`/explore/tenements?${query}`)
    expect(page).toContain("No tenement matches. Remove a filter, or")
  }
})

test("An error appears at its field, and the rest of the page works", async () => {
  const query = "state=XX&from=2026-02-30&as_of=99&stat=WA&page=0&format=csv&status=a&status=b"
  const page = await person.read(`/explore/tenements?${query}`, 400)
  expect(faultAt(page, "state")).toBe("Must be one of WA, NSW, QLD, VIC, SA, TAS, NT")
  expect(faultAt(page, "status")).toBe("Must be given once")
  for (const words of [
    "<code>stat</code>: Unknown parameter; did you mean state?",
    "<code>from</code>: Unknown parameter",
    "<code>format</code>: Unknown parameter",
    "<code>page</code>: Must be an integer from 1",
  ]) {
    expect(page).toContain(words)
  }
  const reports = await person.read("/explore/reports?from=2026-02-02&to=2026-01-01", 400)
  expect(faultAt(reports, "from")).toBe("“From (Sydney)” must be before “To (Sydney)”")
  const release = await person.read("/explore/reports?as_of=99", 400)
  expect(faultAt(release, "as_of")).toBe("Release 99 is not published; the newest is 1")
  for (const odd of [
    "state=%ff",
    "holder=%00",
    "state=WA&state=WA",
    "page=1e3",
    `holder=${"x".repeat(201)}`,
  ]) {
    expect((await person.get(`/explore/tenements?${odd}`)).status).toBe(400)
  }
})

test("A signed-out person is redirected to sign in, and then back", async () => {
  for (const path of [
    "/explore/tenements?state=WA",
    "/explore/companies/BIG",
    "/explore/reports.csv",
    "/explore/search?q=fmg",
  ]) {
    const response = await fetch(service.url + path, { redirect: "manual" })
    expect([response.status, response.headers.get("location")]).toEqual([
      303,
      `/account/sign-in?next=${encodeURIComponent(path)}`,
    ])
  }
})

test("Every link of a list leads to an existing page", async () => {
  const pages = [
    "/explore/companies?per_page=4",
    "/explore/tenements?state=WA&per_page=4",
    "/explore/reports?per_page=4",
    "/explore/companies/BIG",
  ]
  const links = await Promise.all(pages.map(async (page) => addressesIn(await person.read(page))))
  // Records of a company that was never loaded name it all the same.
  const isExpected = (link: string) => link.startsWith("/explore") && !link.endsWith("/GONE")
  for (const link of new Set(links.flat().filter(isExpected)))
    expect([link, (await person.get(link)).status]).not.toEqual([link, 404])
})

test("Rare filters are behind More filters, which is open when one of them is wrong", async () => {
  for (const [query, isOpen] of [
    ["near=-30.75,121.47,50&expires_to=2030-01-01&as_of=1", false],
    ["near=Nowhere", true],
    ["as_of=2999-01-01", true],
  ] as const) {
    const page = await (await person.get(`/explore/tenements?${query}`)).text()
    const [, attributes] = /<details ([^>]*)><summary>More filters/.exec(page) ?? []
    expect([query, attributes]).toEqual([query, `class="further"${isOpen ? " open" : ""}`])
  }
})

const csvOf = async (page: string) =>
  (await (await person.get(linkTo(page, "Download CSV") ?? "")).text())
    .replace("\uFEFF", "")
    .trimEnd()
    .split("\r\n")

test("The export has the companies of the table, and says how large it is", async () => {
  const page = await person.read("/explore/tenements?company=BIG&per_page=1")
  const [head, ...rows] = await csvOf(page)
  expect(head).toBe([...fieldNames(tenements, "always"), "asx_codes"].join())
  expect(rows.every((row) => /\bBIG\b[^,]*$/.test(row))).toBe(true)
  expect(textOf(page)).toContain(`Download CSV ${rows.length} rows, about 1 kB`)
  expect(page).not.toContain("may reject")
})

test("A downloaded file has the name of its list, its company and its filters", async () => {
  for (const [address, name] of [
    [
      "companies/BIG/tenements.csv?holder=%22M%C3%BCller+%26+Co&sort=id",
      "tenements-big-holder-m-ller-co",
    ],
    [
      "reports.csv?company=BIG&from=2026-01-01&as_of=1",
      "announcements-company-big-from-2026-01-01",
    ],
    ["tenements.csv?updated_since=1&fields=id", "tenements-updated-since-1"],
    ["holders.csv", "holders"],
  ]) {
    const named = (await person.get(`/explore/${address}`)).headers.get("content-disposition")
    expect([address, named]).toEqual([address, `attachment; filename="${name}.csv"`])
  }
})

test("The menu names the zone of a file's times, which the table shows in another", async () => {
  const page = await person.read("/explore/reports?company=BIG")
  const [head, first = ""] = await csvOf(page)
  expect([head?.includes("published_at"), /T\d\d:\d\d:\d\dZ/.test(first)]).toEqual([true, true])
  expect(textOf(page)).toMatch(/Download CSV \d+ rows?, about 1 kB, times in UTC/)
})

const headsOf = (page: string) =>
  [...page.matchAll(/<th [^>]*scope="col"[^>]*>(?:<a[^>]*>)?([^<]*)/g)].map(([, head]) => head)

test("A person chooses the columns of the table and of its export", async () => {
  const boxes = "fields=tenement_id&fields=holder_name&fields=id"
  const chosen = await person.get(`/explore/tenements?state=WA&${boxes}`)
  const address = "/explore/tenements?state=WA&fields=tenement_id,holder_name,id"
  expect([chosen.status, chosen.headers.get("location")]).toEqual([303, address])
  const page = await person.read(address)
  expect(headsOf(page)).toEqual(["Tenement", "Identifier", "Holder"])
  expect((await csvOf(page))[0]).toBe("tenement_id,holder_name,id")
  expect(page).toContain("fields=tenement_id%2Cholder_name%2Cid&amp;state=WA&amp;format=csv")
  expect(linkTo(page, "Reset")).toBe("/explore/tenements?state=WA")
})

test.each([
  ["tenements", "state=WA", ["tenement_id", "status", "asx_codes"]],
  ["companies/BIG/tenements", "", ["tenement_id", "status"]],
  ["reports", "company=BIG", ["title", "type"]],
  ["companies", "", ["asx_code", "total_tenements"]],
  ["subsidiaries", "", ["name", "country"]],
])(
  "The chosen columns of /explore/%s have the cells and links of the usual ones",
  async (list, query, fields) => {
    const usual = await person.read(`/explore/${list}?${query}`)
    const chosen = await person.read(`/explore/${list}?${query}&fields=${fields}`)
    const heads = headsOf(chosen)
    const places = heads.map((head) => headsOf(usual).indexOf(head))
    expect([heads.length, places.includes(-1)]).toEqual([fields.length, false])
    const cells = (page: string) =>
      (/<tbody>(.*?)<\/tbody>/s.exec(page)?.[1] ?? "")
        .split("</tr>")
        .slice(0, -1)
        .map((row) => [...row.matchAll(/<(t[hd])\b[^>]*>(.*?)<\/\1>/gs)].map(([, , cell]) => cell))
    expect(cells(chosen).length).toBeGreaterThan(0)
    expect(cells(chosen)).toEqual(cells(usual).map((row) => places.map((place) => row[place])))
  },
)

test("Holders have two columns, and no menu to choose from them", async () => {
  const page = await person.read("/explore/holders")
  expect([page.includes(">Export<"), page.includes(">Columns<")]).toEqual([true, false])
})
