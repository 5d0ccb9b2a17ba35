/** The search box of the explorer: the best matches of each kind, on a page that needs no script. */
import { expect, test } from "bun:test"
import { resultOf } from "../../api/mcp/conversation.ts"
import { readList } from "../../contract/bodies.ts"
import { none } from "../../support/fixtures.ts"
import { serviceOfFile, testService } from "../../support/service.ts"
import { addressesIn, headingOf, leadOf, textOf } from "./page-reader.ts"
import { signedInVisitor, visitor } from "./visitor.ts"

const company = (asx_code: string, company_name: string, market_cap_aud = 1, is_active = true) => ({
  asx_code,
  company_name,
  market_cap_aud,
  gics_sector: null,
  gics_industry_group: null,
  total_tenements: 0,
  is_active,
})
const tenement = (id: string, tenement_id: string, holder_name: string) => ({
  id,
  tenement_id,
  state: "WA" as const,
  status: "granted",
  type: "exploration",
  holder_name,
  grant_date: null,
  expiry_date: null,
  area_km2: null,
  asx_codes: [],
})
const report = (hash: string, title: string, published_at: string) => ({
  hash,
  asx_code: "FMG",
  title,
  type: null,
  published_at,
  url: null,
})

const records = {
  ...none,
  companies: [
    company("FMG", "Fortescue Ltd", 1_000),
    company("BIG", "The Iron of FMG", 9_000),
    company("FMX", "FMG Small Explorers", 10),
    company("OLD", "FMG Old", 99_000, false),
    ...["A", "B", "C"].map((name) => company(`Z${name}9`, `Other FMG ${name}`, 5)),
  ],
  tenements: [
    ...Array.from({ length: 7 }, (_, index) =>
      tenement(
        `WA-E47-900${index}`,
        `E47/900${index}`,
        index < 2 ? "FMG Iron; Aardvark" : "FMG Pilbara Pty Ltd",
      ),
    ),
    tenement("WA-M1-1", "M 1/1", "Other Holdings"),
  ],
  reports: [
    ...Array.from({ length: 6 }, (_, index) =>
      report(`r${index}`, `FMG quarterly ${index}`, `2026-01-0${index + 1}T00:00:00Z`),
    ),
  ],
}

const service = await serviceOfFile({ records })
const person = await signedInVisitor(service, "admin@example.com")

const search = (term: string) => person.read(`/explore/search?q=${encodeURIComponent(term)}`)

/** How many tenements the API's list has for a term, and what follows it in the address. */
const totalOf = async (search: string) =>
  (await readList(await service.get(`/tenements?search=${search}`))).meta.total

/** The names and the addresses of the matches, by kind. */
function groupsOf(page: string) {
  const sections = page.split('<section class="panel"><h2>').slice(1)
  return Object.fromEntries(
    sections.map((rest) => {
      const [section = ""] = rest.split("</section>")
      const items = section.split("<li>").slice(1)
      const names = items.map((item) => textOf(item.split("</a>")[0] ?? ""))
      return [section.split("<")[0], { names, links: addressesIn(section) }]
    }),
  )
}

test("A term finds the best five of each kind", async () => {
  const page = await search(" fmg ")
  expect(headingOf(page)).toBe("Search")
  expect(page).toContain('name="q" value="fmg"')
  const { Companies, Tenements, Holders, Announcements } = groupsOf(page)
  // The code itself, names that begin with the term, then others: the largest of each first, inactive ones last.
  expect(Companies?.names).toEqual([
    "Fortescue Ltd",
    "FMG Small Explorers",
    "FMG Old",
    "The Iron of FMG",
    "Other FMG A",
  ])
  expect(Companies?.links.slice(0, 1)).toEqual(["/explore/companies/FMG"])
  expect(Companies?.links.at(-1)).toBe("/explore/companies?search=fmg")
  expect(Tenements).toBeUndefined()
  expect(Holders).toEqual({
    names: ["FMG Pilbara Pty Ltd", "FMG Iron"],
    links: [
      "/explore/holders/FMG%20Pilbara%20Pty%20Ltd",
      "/explore/holders/FMG%20Iron",
      "/explore/holders?holder=fmg",
    ],
  })
  expect(Announcements?.names).toEqual([5, 4, 3, 2, 1].map((index) => `FMG quarterly ${index}`))
  expect(Announcements?.links[0]).toBe("/explore/reports/r5")
  for (const link of [Companies, Holders, Announcements].flatMap((group) => group?.links ?? [])) {
    await person.read(link)
  }
})

test("A tenement is found by a part of its number or id, however it is punctuated", async () => {
  const references = [
    "E47/9003",
    "e 47 9003",
    "E47-9003",
    "E 047/09003-I",
    "E4709003",
    "E  4709003",
  ]
  for (const term of [...references, "WA-E47-9003", "79003"]) {
    expect(groupsOf(await search(term)).Tenements).toEqual({
      names: ["E47/9003"],
      links: [
        "/explore/tenements/WA-E47-9003",
        `/explore/tenements?search=${encodeURIComponent(term)}`,
      ],
    })
  }
  expect(groupsOf(await search("E47/900")).Tenements?.names).toHaveLength(5)
  for (const [query, total] of [
    ["E47%2F9003", 1],
    ["wa-e47", 7],
    ["m1%201", 1],
    ["M%2001%2F00001-s", 1],
    ["M0100001", 1],
    ["M%2010%2F1", 0],
    ["1wam", 0],
    ["7", 7],
    ["%2F", 0],
    ["%20", 0],
    ["%C3%A9", 0],
  ] as const) {
    expect([query, await totalOf(query)]).toEqual([query, total])
  }
})

test("A number that no tenement has leads to the nearest ones of its type and state", async () => {
  const nearest = "E47/9000 (WA), E47/9001 (WA), E47/9002 (WA)."
  const words = (written: string) =>
    `No tenement has the number “${written}”. The nearest numbers of its type: ${nearest}`
  for (const path of ["/explore/search?q=", "/explore/tenements?search="]) {
    expect(textOf(await person.read(`${path}E 47/8999`))).toContain(words("E 47/8999"))
    expect(textOf(await person.read(`${path}E4612345`))).toContain(words("E4612345"))
    const between = textOf(await person.read(`${path}E 48/1`))
    expect(between).toContain("E47/9004 (WA), E47/9005 (WA), E47/9006 (WA).")
    for (const unknown of ["P 47/8999", "8999", "none"]) {
      expect(await person.read(path + unknown)).not.toContain("nearest")
    }
  }
  const found = await person.read("/explore/tenements?search=E 47/9003")
  const elsewhere = await person.read("/explore/tenements?search=E 47/8999&state=SA")
  expect(found + elsewhere).not.toContain("nearest")
})

test("A search finds a removed tenement by its number, and a tenement as it was", async () => {
  await service.publish({ ...records, tenements: records.tenements.slice(1) })
  for (const [query, total] of [
    ["as_of=2", 6],
    ["as_of=1", 7],
    ["removed_since=1", 1],
  ] as const) {
    expect([query, await totalOf(`e47&${query}`)]).toEqual([query, total])
  }
})

test("A company is found by former names, and a successor by those of its predecessor", async () => {
  await using own = await testService({ records })
  await own.sql`insert into former_names (asx_code, name, name_key, is_certain) values
    ('FMX', 'Quandong Minerals NL', 'QUANDONG MINERALS NL', true),
    ('OLD', 'Quandong Resources Limited', 'QUANDONG RESOURCES LTD', true),
    ('BIG', 'Quandong Oil & Gas', 'QUANDONG OIL AND GAS', false),
    ('ZA9', 'Quandong Salt', 'QUANDONG SALT', false)`
  await own.sql`update companies set listing_date = '2020-02-02' where asx_code = 'BIG'`
  await own.sql`insert into listings (asx_code, listing_date, company_name, name_key, first_day, last_day)
    values ('BIG', '2020-02-02', 'Quandong Oil & Gas', 'QUANDONG OIL AND GAS', '2024-01-01', '2024-01-01')`
  await own.sql`update companies set successor = 'ZA9' where asx_code = 'OLD'`
  const visitorOfOwn = await signedInVisitor(own, "admin@example.com")
  const find = async (term: string) =>
    textOf((await visitorOfOwn.read(`/explore/search?q=${term}`)).split('id="matches"')[1] ?? "")
  const found = await find("quandong")
  expect(found).toContain("FMG Small Explorers FMX Formerly Quandong Minerals NL")
  expect(found).toContain("Other FMG A ZA9 Formerly Quandong Resources Limited")
  expect(found).toContain(
    "The Iron of FMG BIG Code used earlier by Quandong Oil & Gas: same listing date, rename not proven",
  )
  expect(await find("quandong salt")).toContain(
    "Other FMG A ZA9 Code used earlier by Quandong Salt: rename not proven",
  )
  expect(await find("Quandong resources LIMITED")).not.toContain("BIG")
  expect(await find("fmg old")).toContain("Other FMG A ZA9 Formerly FMG Old")
  const empty = await visitorOfOwn.read("/explore/companies?search=quandong+minerals")
  expect(leadOf(empty)).toStartWith("0 companies")
  expect(textOf(empty)).toContain("FMG Small Explorers (FMX) : Formerly Quandong Minerals NL.")
  const list = await (await own.get("/companies?search=quandong")).json()
  expect(list).toMatchObject({ meta: { total: 0 } })
  const tool = await resultOf(own, "find_companies", { search: "quandong" })
  expect(tool).toMatchObject({
    total: 0,
    by_former_name: expect.arrayContaining([
      expect.objectContaining({ asx_code: "ZA9", formerly: "Formerly Quandong Resources Limited" }),
    ]),
  })
})

test("The page says what to type, and what to do when nothing is found", async () => {
  for (const path of ["/explore/search", "/explore/search?q=", "/explore/search?q=+"]) {
    expect(leadOf(await person.read(path))).toBe(
      "Type a code, or a part of a company, tenement number, holder or announcement title.",
    )
  }
  expect(leadOf(await search("quagga like it"))).toBe(
    "Nothing contains “quagga like it”. Check the spelling. Type three or more characters.",
  )
  expect(leadOf(await search("E 47/8999"))).toBe("Nothing contains “E 47/8999”.")
  // Finding two letters in all titles of announcements would take a scan.
  expect(Object.keys(groupsOf(await search("fm")))).toEqual(["Companies", "Pages of the guide"])
})

test("A page explains a parameter that it does not take", async () => {
  for (const [query, fault] of [
    [`q=${"x".repeat(201)}`, "q: Must have at most 200 characters."],
    ["q=%ff", "q: Is not valid UTF-8."],
    ["q=%00", "q: Must not contain control characters."],
    ["q=a&q=b", "q: Must be given once."],
    ["qq=a", "qq: Unknown parameter; did you mean q?."],
  ]) {
    const page = await person.read(`/explore/search?${query}`, 400)
    expect(leadOf(page)).toBe(
      `${fault} Correct the address, or remove what follows its question mark.`,
    )
  }
})

test("The search finds pages of the guide, after the records", async () => {
  const page = await search("links holders")
  const { "Pages of the guide": found } = groupsOf(page)
  expect(found?.links).toContain("/docs/guide/holders")
  expect(found?.links.at(-1)).toBe("/docs?q=links%20holders")
  for (const link of found?.links ?? []) await person.read(link)
  expect(Object.keys(groupsOf(await search("fmg"))).at(-1)).toBe("Pages of the guide")
})

test("Every page has the search box; its script is on the pages of signed-in people only", async () => {
  const form = 'action="/explore/search"'
  const paths = ["/", "/docs", "/account", "/explore/companies/FMG", "/explore/search?q=fmg"]
  for (const path of paths) expect((await person.read(path)).split(form)).toHaveLength(2)
  const stranger = visitor(service)
  const boxes = { "/": form, "/docs": 'action="/docs"' }
  for (const [path, box] of Object.entries(boxes)) {
    const page = await stranger.read(path)
    expect([page.split(box).length, page.includes("/assets/search.")]).toEqual([2, false])
  }
})

test("A search finds the holders of all matching tenements, each in its most frequent spelling", async () => {
  const holders = ["FMG Iron", "FMG IRON; Aardvark", "FMG Iron", "FMG Gold", "Old FMG"]
  const tenements = [
    ...Array.from({ length: 150 }, (_, index) => tenement(`NT-${index}`, "1", "FMG Pilbara")),
    ...holders.map((holder, index) => tenement(`WA-${index}`, "1", holder)),
    // More than are counted of a term that very many match.
    ...Array.from({ length: 2_100 }, (_, index) => tenement(`A-${index}`, "1", "Gold Ore")),
  ]
  await service.publish({ ...records, tenements })
  expect(groupsOf(await search("fmg")).Holders?.names).toEqual([
    "FMG Pilbara",
    "FMG Iron",
    "FMG Gold",
    "Old FMG",
  ])
  expect(groupsOf(await search("gold")).Holders?.names[0]).toBe("Gold Ore")
})
