/** `HOLDER_NAMES=companies`: no response names a natural person, nor tells that one is there. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { sql as statement } from "drizzle-orm"
import { PgDialect } from "drizzle-orm/pg-core"
import { searchedHolders } from "../../src/resources/holder-names.ts"
import { fold } from "../../src/text/fold.ts"
import { signedInVisitor } from "../pages/visitor.ts"
import type { Fixtures, TenementFixture } from "../support/fixtures.ts"
import { type TestService, testService } from "../support/service.ts"
import { readList, readRecord } from "./bodies.ts"

/** As the registers write them. */
const tasmanianCouncils = [
  "Break O'Day",
  "Brighton",
  "Burnie City",
  "Central Coast",
  "Central Highlands",
  "Circular Head",
  "Clarence City",
  "Derwent Valley",
  "Devonport City",
  "Dorset",
  "Flinders",
  "George Town",
  "Glamorgan Spring Bay",
  "Glenorchy City",
  "Hobart City",
  "Huon Valley",
  "Kentish",
  "King Island",
  "Kingborough",
  "Latrobe",
  "Launceston City",
  "Meander Valley",
  "Northern Midlands",
  "Sorell",
  "Southern Midlands",
  "Tasman",
  "Waratah-Wynyard",
  "West Coast",
  "West Tamar",
]

/** As written, and as shown. */
const holders: readonly (readonly [written: string | null, shown: string | null])[] = [
  [null, null],
  ["GOLD PTY LTD", "GOLD PTY LTD"],
  ["Gold Limited", "Gold Limited"],
  ["CENTRAL PACIFIC MINERALS N.L.", "CENTRAL PACIFIC MINERALS N.L."],
  ["GOLDEN CLIFFS NL", "GOLDEN CLIFFS NL"],
  ["GOLD MINING COMPANY", "GOLD MINING COMPANY"],
  ["GOLD P/L", "GOLD P/L"],
  ["GOLD (AUST) PTY. LTD.", "GOLD (AUST) PTY. LTD."],
  ["GOLD CORPORATION, LIMITED", "GOLD CORPORATION, LIMITED"],
  ["GOLD PTY LTD (In Liquidation)", "GOLD PTY LTD (In Liquidation)"],
  ["GOLD PTY LTD (ACN 123 456 789)", "GOLD PTY LTD (ACN 123 456 789)"],
  // Of several companies, and companies with a joint in their names.
  ["GOLD PTY LTD AND IRON LIMITED", "GOLD PTY LTD AND IRON LIMITED"],
  ["GOLD P/L, IRON P/L & TIN P/L", "GOLD P/L, IRON P/L & TIN P/L"],
  ["GOLD PTY LTD AS TRUSTEE FOR IRON PTY LTD", "GOLD PTY LTD AS TRUSTEE FOR IRON PTY LTD"],
  ["BHP AND SONS PTY LTD", "BHP AND SONS PTY LTD"],
  ["WEBB & HALL PTY LTD", "WEBB & HALL PTY LTD"],
  ["A & B. WEBB EARTHMOVERS PTY LTD", "A & B. WEBB EARTHMOVERS PTY LTD"],
  ["A.B. & C.D. Webb Proprietary Limited", "A.B. & C.D. Webb Proprietary Limited"],
  ["MARY WEBB & CO. PTY LTD", "MARY WEBB & CO. PTY LTD"],
  ["GREAT WESTERN MINING AND GOLD LIMITED", "GREAT WESTERN MINING AND GOLD LIMITED"],
  ["METALS & ENERGY OF AUSTRALIA LTD", "METALS & ENERGY OF AUSTRALIA LTD"],
  ["ACN 603 462 513 PTY LTD", "ACN 603 462 513 PTY LTD"],
  ["A.C.N. 603 462 513 PTY LTD", "A.C.N. 603 462 513 PTY LTD"],
  ["GOLD PROSPECTING NO.1 PTY LTD", "GOLD PROSPECTING NO.1 PTY LTD"],
  ["GOLD (NO. 1) (PILBARA) PTY LTD", "GOLD (NO. 1) (PILBARA) PTY LTD"],
  ["GOLD (PILBARA) MINING PTY LTD", "GOLD (PILBARA) MINING PTY LTD"],
  ["14 MILE GOLD PTY LTD", "14 MILE GOLD PTY LTD"],
  ["GOLD NOMINEES PTY LTD", "GOLD NOMINEES PTY LTD"],
  ["MINES D'ÉTAÏN LIMITED", "MINES D'ÉTAÏN LIMITED"],
  // Public bodies.
  ["City Of Tea Tree Gully", "City Of Tea Tree Gully"],
  ["Gold Plains Council", "Gold Plains Council"],
  ["MINISTER FOR MINES", "MINISTER FOR MINES"],
  ["MINISTER FOR MINES AND ENERGY", "MINISTER FOR MINES AND ENERGY"],
  ["District Council Of Gold Plains", "District Council Of Gold Plains"],
  ["The Corporation Of The City Of Goldtown", "The Corporation Of The City Of Goldtown"],
  ["The Crown", "The Crown"],
  ["JANE COUNCIL", "Individual"],
  ["JANE SMITH TASMAN COUNCIL", "Individual"],
  ["JANE SMITH *", "Individual"],
  ["JANE SMITH (RECEIVERS AND MANAGERS APPOINTED)", "Individual"],
  ["GOLD PTY LTD (RECEIVER JANE SMITH APPOINTED)", "Individual"],
  ["GOLD PTY LTD + JANE SMITH", "Individual"],
  ["SMITH (JANE) GOLD PTY LTD", "Individual"],
  ["SMITH (W.A.) & GOLD PTY LTD", "Individual"],
  ["SMITH (W.A.) AND GOLD PTY LTD", "Individual"],
  ["JANE SMITH OF GOLD PTY LTD", "Individual"],
  ["JANE SMITH & CO OF GOLD PTY LTD", "Individual"],
  ["JANE SMITH 2 PARTNERS PTY LTD", "Individual"],
  ["SMITH, Jane", "Individual"],
  ["SMITH, JANE ANN", "Individual"],
  ["Jane Smith", "Individual"],
  ["O'BRIEN-LTDSON, Jane", "Individual"],
  ["CROWN, Jane", "Individual"],
  ["DÉINC, Zoë", "Individual"],
  ["ÖNL Jane", "Individual"],
  ["GOLD PTY LTD, Jane Smith", "Individual"],
  ["GOLD PTY LTD AND JANE SMITH", "Individual"],
  ["GOLD PTY LTD Jane Smith", "Individual"],
  ["GOLD PTY LTD (Jane Smith)", "Individual"],
  ["GOLD PTY LTD & SMITH, JANE & IRON PTY LTD", "Individual"],
  ["SMITH, JANE & GOLD PTY LTD", "Individual"],
  ["SMITH, JONES & CO PTY LTD", "Individual"],
  ["JANE SMITH & GOLD PTY LTD", "Individual"],
  ["J.SMITH & GOLD PTY LTD", "Individual"],
  ["J. Smith and Gold Pty Ltd", "Individual"],
  ["JANE SMITH + GOLD PTY LTD", "Individual"],
  ["JANE SMITH/GOLD PTY LTD", "Individual"],
  ["JANE SMITH ATF PARTNERS PTY LTD", "Individual"],
  ["JANE SMITH MINING ATF GOLD PTY LTD", "Individual"],
  ["SMITH, GOLD PTY LTD", "Individual"],
  ["JANE\u1680SMITH & GOLD PTY LTD", "Individual"],
  ["JANE SMITH/LEE GOLD PTY LTD", "Individual"],
  ["JANE SMITH -GOLD PTY LTD", "Individual"],
  ["JANE SMITH - GOLD PTY LTD", "Individual"],
  ["JANE\u00a0SMITH & GOLD PTY LTD", "Individual"],
  ["JANE SMITH\tGOLD PTY LTD", "Individual"],
  ["A. & B. SMITH & C. SMITH & GOLD PTY LTD", "Individual"],
  ["Jane Smith as trustee for Gold Pty Ltd", "Individual"],
  ["JANE SMITH ATF SMITH FAMILY TRUST PTY LTD", "Individual"],
  ["GOLD PTY LTD ATF THE JANE SMITH FAMILY TRUST", "Individual"],
  ["GOLD PTY LTD (ATF JANE SMITH)", "Individual"],
  ["JANE SMITH C/- GOLD PTY LTD", "Individual"],
  ["SMITH C/O GOLD PTY LTD", "Individual"],
  ["JANE SMITH T/A GOLD PTY LTD", "Individual"],
  ["GOLD PTY LTD TRADING AS JANE SMITH", "Individual"],
  ["JANE SMITH (GOLD PTY LTD)", "Individual"],
  ["JANE SMITH AND COMPANY", "Individual"],
  ["SMITH J.N.L.", "Individual"],
  ["SMITH, NL", "Individual"],
  ["Smith NL", "Individual"],
  ["Jane Crown", "Individual"],
  ["JANE MINISTER", "Individual"],
  ["SHIRE OF GOLD AND JANE SMITH", "Individual"],
  ["MINISTER FOR MINES JANE SMITH", "Individual"],
  ["THE CITY OF GOLDTOWN JANE SMITH", "Individual"],
  ["CITY OF GOLDTOWN J SMITH", "Individual"],
  ["DEPARTMENT OF MINES JANE SMITH", "Individual"],
  ["JANE SMITH GOLD PLAINS COUNCIL", "Individual"],
  ["Jane\tSmith", "Individual"],
  // Joined by what no name of one company has.
  ...[
    ...["，", "；", "＆", "、", "／", "–", "×", "*", "=", '"', "[", "_"],
    ...["(50%)", "（50％）", "50%", "(50)", "50", "1/2", "(DECEASED)", "(J SMITH)"],
    ...["ABN 12345678901", "ACN 123 456 789", "A.C.N. 123 456 789", "(ABN 12 345 678 901)"],
    ...["12345678901", "ABN: 12345678901", "OBO", "PER", "VIA", "AGENT", "(AGENT)", "EXECUTOR"],
    ...["AS EXECUTOR FOR", "JOINTLY", "NOMINEE", "AKA", "FORMERLY", "ATTORNEY"],
  ].map((joint) => [`JANE SMITH ${joint} GOLD PTY LTD`, "Individual"] as const),
  ["JANE SMITH，GOLD PTY LTD", "Individual"],
  ["JANE SMITH 603 462 513 PTY LTD", "Individual"],
  ["GOLD PTY LTD (JANE SMITH) IRON PTY LTD", "Individual"],
  ["ＪＡＮＥ ＳＭＩＴＨ ＰＴＹ ＬＴＤ", "Individual"],
  // What a register adds, and joints that are part of a name.
  ...[
    "GOLD PTY LTD (Receivers and Managers Appointed)",
    "GOLD PTY LTD (RECEIVER & MANAGER APPOINTED) (ADMINISTRATORS APPOINTED)",
    "GOLD PTY. LTD. *",
    "GOLD PTY LTD*",
    "THE SHELL CO. OF AUSTRALIA LTD",
    "MINERALS 260 HOLDINGS PTY LTD",
    "GROUP 11 MINERALS PTY LTD",
    "KERAS (PILBARA) GOLD PTY LTD",
    "WEBB + HALL PTY LTD",
    "GOLD MINING + IRON PTY LTD",
    "GOLD PTY LTD + IRON PTY LTD",
  ].map((name) => [name, name] as const),
  ...tasmanianCouncils.map((place) => [`${place} Council`, `${place} Council`] as const),
  ["SMITH, Jane; GOLD PTY LTD", "Individual; GOLD PTY LTD"],
  ["GOLD PTY LTD; SMITH, Jane; SMITH, John", "GOLD PTY LTD; Individual; Individual"],
  ["GOLD PTY LTD; SMITH, Jane; IRON LIMITED", "GOLD PTY LTD; Individual; IRON LIMITED"],
]

const idOf = (index: number) => `WA-${String(index).padStart(3, "0")}`
/** The tenement of a person and a company. */
const shared = idOf(holders.findIndex(([written]) => written === "SMITH, Jane; GOLD PTY LTD"))

const tenementOf = (index: number, holder_name: string | null): TenementFixture => ({
  id: idOf(index),
  tenement_id: `E47/${index}`,
  state: "WA",
  status: "granted",
  type: "exploration",
  holder_name,
  grant_date: null,
  expiry_date: null,
  area_km2: 1,
  asx_codes: holder_name?.includes("GOLD PTY LTD") ? ["GLD"] : [],
})
const records = (of = holders): Fixtures => ({
  companies: [
    {
      asx_code: "GLD",
      company_name: "GOLD PTY LTD",
      market_cap_aud: 1,
      gics_sector: "Materials",
      gics_industry_group: "Materials",
      is_active: true,
    },
  ],
  tenements: of.map(([written], index) => tenementOf(index, written)),
  subsidiaries: [],
  reports: [],
})

let all: TestService
let masked: TestService

beforeAll(async () => {
  all = await testService({ records: records() })
  // Each person has become another one, and the last tenement is gone.
  const next = holders
    .slice(0, -1)
    .map(([written]) => [written?.replaceAll(/jane/gi, "Jill") ?? null, null] as const)
  await all.publish(records(next))
  masked = await testService({ beside: all, settings: { HOLDER_NAMES: "companies" } })
})

afterAll(async () => {
  await masked.stop()
  await all.stop()
})

const holdersIn = async (answer: Response) =>
  (await readList(answer)).data.map(({ holder_name }) => holder_name)

test("a holder is shown where its name is known to be of no person", async () => {
  const shownBy = async (service: TestService) => {
    const pages = [1, 2, 3].map((page) => `/tenements?per_page=100&as_of=1&page=${page}`)
    return (await Promise.all(pages.map(async (path) => holdersIn(await service.get(path))))).flat()
  }
  expect(await shownBy(masked)).toEqual(holders.map(([, shown]) => shown))
  expect(await shownBy(all)).toEqual(holders.map(([written]) => written))
})

test("what is left of the folded text to search is what is shown, but for the persons", async () => {
  const { sql, params } = new PgDialect().sqlToQuery(searchedHolders(statement`name`))
  const names = holders.flatMap(([written]) => (written === null ? [] : [fold(written)]))
  const rows = await all.sql.unsafe(
    `select ${sql} as left from json_array_elements_text($1::text::json) as name`,
    [...(params as string[]), JSON.stringify(names)],
  )
  expect(rows.map((row) => row.left)).toEqual(
    holders.flatMap(([, shown]) =>
      shown === null ? [] : [fold(shown.replaceAll("Individual", ""))],
    ),
  )
})

/** Everywhere a response may have a holder. */
const paths = [
  "/tenements",
  "/tenements?as_of=1",
  "/tenements?updated_since=1",
  "/tenements?removed_since=1",
  "/tenements?format=csv",
  "/tenements?format=tsv",
  "/tenements?format=csv&all=true",
  "/tenements?format=csv&all=true&as_of=1",
  "/companies/GLD/tenements",
  "/companies/GLD/tenements?format=csv&all=true",
  "/tenements?holder=gold",
  "/tenements?holder=ld",
  `/tenements/${shared}`,
  `/tenements/${shared}?as_of=1`,
  `/tenements/${shared}/history`,
  `/tenements/${shared}/history?format=csv&all=true`,
]
const person = /jane|jill|john|smith|jones|brien|ltdson|zoë/i

test.each(paths)("no person is in %s", async (path) => {
  const answer = await masked.get(path)
  const text = await answer.text()
  expect([answer.status, text]).toEqual([200, expect.not.stringMatching(person)])
  // There is one without the setting.
  expect(await (await all.get(path)).text()).toMatch(person)
})

test("the companies of a tenement and their totals stay", async () => {
  for (const service of [all, masked]) {
    const company = await readRecord(await service.get("/companies/GLD?as_of=1"))
    const { meta } = await readList(await service.get("/companies/GLD/tenements?as_of=1"))
    const linked = holders.filter(([name]) => name?.includes("GOLD PTY LTD")).length
    expect([company.total_tenements, meta.total]).toEqual([linked, linked])
  }
})

describe("a search", () => {
  const found = async (service: TestService, holder: string) =>
    (await readList(await service.get(`/tenements?as_of=1&holder=${encodeURIComponent(holder)}`)))
      .meta.total

  test.each([
    "jane",
    "SMITH, Jane",
    "smith, j",
    "zo",
    "j",
    "ö",
    "crown",
    "jane; gold",
    "td; smith",
    "and jane",
    "smith & gold pty ltd",
    "atf",
    "trustee for gold",
    "c/-",
    "\u00a0",
  ])("for the hidden %s finds nothing", async (term) => {
    expect(await found(all, term)).toBeGreaterThan(0)
    const shown = holders.filter(([, name]) => fold(name ?? "").includes(fold(term)))
    expect(await found(masked, term)).toBe(shown.length)
  })

  test("for part of the word that stands for a person finds none, whatever their letters", async () => {
    for (const term of ["individual", "i", "n", "di", "al", "vid", "a"]) {
      const shown = holders.filter(([, name]) =>
        fold((name ?? "").replaceAll("Individual", "")).includes(term),
      )
      expect([term, await found(masked, term)]).toEqual([term, shown.length])
    }
  })

  test("finds what is shown, beside a person too", async () => {
    for (const term of ["gold pty ltd", "iron limited", "; gold", "ld", "; iron"]) {
      const shown = holders.filter(([, name]) => fold(name ?? "").includes(term))
      expect([term, await found(masked, term)]).toEqual([term, shown.length])
      expect(shown).not.toEqual([])
    }
  })
})

test("a search that finds many counts those that are shown, now and at a past release", async () => {
  const names = ["GOLD PTY LTD", "SMITH, Jane", "GOLD PTY LTD; SMITH, Jane", "GOLD AND JANE"]
  const many = Array.from({ length: 9000 }, (_, index) => [names[index % 4] ?? "", null] as const)
  const first = await testService({ records: records(many) })
  await first.publish(records(many.slice(4)))
  const hidden = await testService({ beside: first, settings: { HOLDER_NAMES: "companies" } })
  try {
    const total = async (service: TestService, query: string) =>
      (await readList(await service.get(`/tenements?per_page=1&${query}`))).meta.total
    for (const [query, named, shown] of [
      ["holder=ld&as_of=1", 6750, 4500],
      ["holder=ld", 6747, 4498],
      ["holder=gold&as_of=1&state=WA", 6750, 4500],
      ["holder=gold", 6747, 4498],
      ["holder=gold&updated_since=1", 6747, 4498],
      ["holder=gold&removed_since=1", 3, 2],
      ["holder=a", 6747, 0],
    ] as const) {
      expect([query, await total(first, query), await total(hidden, query)]).toEqual([
        query,
        named,
        shown,
      ])
    }
  } finally {
    await hidden.stop()
    await first.stop()
  }
})

test("the explorer's pages name no person, and link to no search for one", async () => {
  const visitor = await signedInVisitor(masked, "admin@example.com")
  for (const path of [
    "/explore/tenements",
    "/explore/tenements.csv",
    "/explore/tenements?holder=gold",
    "/explore/companies/GLD/tenements",
    "/explore/companies/GLD",
    `/explore/tenements/${shared}`,
  ]) {
    const page = await visitor.read(path)
    expect([path, page]).toEqual([path, expect.not.stringMatching(person)])
    expect(page).not.toContain("holder=Individual")
  }
  expect(await visitor.read(`/explore/tenements/${shared}`)).toContain("Individual")
})

test("the explorer's page of a search for a hidden name is that of a search for an unknown one", async () => {
  const visitor = await signedInVisitor(masked, "searcher@example.com")
  const pageFor = async (name: string) =>
    (await visitor.read(`/explore/tenements?holder=${name}`)).replaceAll(name, "")
  expect(await pageFor("jane")).toBe(await pageFor("nobody"))
})

test("a change from one person to another is no change of the holder", async () => {
  const changed = async (service: TestService) =>
    (await readList(await service.get(`/tenements/${shared}/history`))).data.map(
      (each) => each.changed,
    )
  expect(await changed(all)).toEqual(["holder_name", null])
  expect(await changed(masked)).toEqual(["", null])
})

test("the entity tag of a response with names is not current without them, and the other way round", async () => {
  for (const path of ["/tenements", `/tenements/${shared}`, `/tenements/${shared}/history`]) {
    const tagOf = async (service: TestService) =>
      (await service.get(path)).headers.get("etag") ?? ""
    const ask = async (service: TestService, tag: string) =>
      (await service.get(path, { headers: { "If-None-Match": tag } })).status
    const [named, hidden] = [await tagOf(all), await tagOf(masked)]
    expect(await ask(masked, named)).toBe(200)
    expect(await ask(all, hidden)).toBe(200)
    expect([await ask(masked, hidden), await ask(all, named)]).toEqual([304, 304])
  }
})
