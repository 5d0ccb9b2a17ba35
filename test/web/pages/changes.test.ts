/** The page of changes shows what the API's lists of changes have, with the fields before and after. */
import { expect, test } from "bun:test"
import { seeded } from "../../../src/sample/seeded.ts"
import { readList, type Shown } from "../../contract/bodies.ts"
import { fileLoader } from "../../ingest/loading/file-loader.ts"
import { none } from "../../support/fixtures.ts"
import { serviceOfFile } from "../../support/service.ts"
import { barsOf, cellsOf, faultAt, headingOf, leadOf, linkTo, textOf } from "./page-reader.ts"
import { signedInVisitor } from "./visitor.ts"

const service = await serviceOfFile({ records: none })
const person = await signedInVisitor(service, "admin@example.com")
const load = fileLoader(service)
const random = seeded(35)
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T

const companies = ["ALP", "BET", "GAM", "DEL"]
const sizes = { companies: 4, tenements: 60, reports: 20 }
const header = {
  companies: "asx_code,company_name,gics_sector,gics_industry_group,is_active",
  tenements: "id,tenement_id,state,status,holder_name",
  reports: "hash,asx_code,title,type,published_at",
}
const rowOf = {
  companies: (index: number) =>
    `${companies[index]},${companies[index]} ${pick(["LTD", "NL"])},${pick(["Energy", "Materials"])},Energy,${random() < 0.8}`,
  tenements: (index: number) =>
    `T${index},E 1/${index},${pick(["WA", "SA", "NT"])},${pick(["granted", "pending"])},${pick(companies)} LTD`,
  reports: (index: number) =>
    `r${index},${pick(companies)},${pick(["Drilling", "Assays"])},Quarterly,2026-01-0${1 + (index % 9)}T00:00:00Z`,
}
type Kind = keyof typeof sizes

async function loadNext(kind: Kind): Promise<void> {
  const rows = Array.from({ length: sizes[kind] }, (_, index) => rowOf[kind](index))
  const some = kind === "companies" ? rows : rows.filter(() => random() < 0.7)
  const options = { acceptShrink: true, removeMissingNow: true }
  await load(kind, { "rows.csv": [header[kind], ...some] }, options)
}

for (const kind of ["companies", "tenements", "reports"] as const) await loadNext(kind)
for (let more = 0; more < 6; more++) await loadNext(pick(["companies", "tenements", "reports"]))
const newest = Number((await service.get("/releases?per_page=1")).headers.get("x-data-release"))

const numberIn = (page: string, heading: string): number =>
  Number(new RegExp(`<h2>${heading}: ([\\d,]+) `).exec(page)?.[1]?.replaceAll(",", ""))

const filters: Readonly<Record<Kind, readonly string[]>> = {
  companies: ["", "active=false", "sector=energy"],
  tenements: ["", "state=WA", "status=granted&holder=bet", "company=ALP"],
  reports: ["", "company=BET", "search=drill", "from=2026-01-04"],
}
const keys = { companies: "asx_code", tenements: "tenement_id", reports: "title" }

async function compare(kind: Kind, since: number, at: number): Promise<void> {
  const query = pick(filters[kind])
  const address = `/explore/changes/${kind}?${query}&since=${since}&as_of=${at}&per_page=100`
  const page = await person.read(address)
  const zone = query.startsWith("from") ? "&timezone=Australia/Sydney" : ""
  for (const [name, title] of [
    ["updated_since", "Added or changed"],
    ["removed_since", "Removed"],
  ] as const) {
    const list = `/${kind}?${query}${zone}&${name}=${since}&as_of=${at}`
    const { data, meta } = await readList(await service.get(`${list}&per_page=100`))
    expect([address, numberIn(page, title)]).toEqual([address, meta.total])
    const shown = cellsOf(page, title).map(([first]) => first)
    expect([address, shown]).toEqual([address, data.map((record) => String(record[keys[kind]]))])
    const whole = await readList(await service.get(`/${kind}?${name}=${since}&as_of=${at}`))
    const row = cellsOf(page, "Changes by list").find(
      ([list]) => list?.toLowerCase() === (kind === "reports" ? "announcements" : kind),
    )
    expect(row?.[name === "updated_since" ? 1 : 2]).toBe(String(whole.meta.total))
    await compareCounts(
      page.split(`<h2>${title}: `)[1]?.split('<section class="stack">')[0] ?? "",
      list,
    )
  }
}

/** Each bar counts the records of the list with that value. */
async function compareCounts(part: string, list: string): Promise<void> {
  for (const [heading, name] of [
    ["By state", "state"],
    ["By company code", "company"],
  ] as const) {
    for (const { label, records } of barsOf(part, heading) ?? []) {
      if (label === (name === "company" ? "no linked company" : "unknown")) continue
      const others = list.replace(new RegExp(`[?&]${name}=\\w+`), "").replace(/^(\/\w+)&/, "$1?")
      const found = await readList(await service.get(`${others}&${name}=${label}`))
      expect([list, label, records]).toEqual([list, label, found.meta.total])
    }
  }
}

/** A person can request more. */
const pairs = Number(process.env.CHANGED_PAIRS ?? 20)

test("The counts and rows between random releases are those of the API's lists", async () => {
  for (let pair = 0; pair < pairs; pair++) {
    const at = 1 + Math.floor(random() * newest)
    const since = Math.floor(random() * (at + 1))
    await compare(pick(["companies", "tenements", "reports"]), since, at)
  }
}, 600_000)

test("Each changed record has its fields before and after; a record without earlier fields is added", async () => {
  const page = await person.read(`/explore/changes/tenements?since=3&per_page=100`)
  const listOf = async (query: string) =>
    (await readList(await service.get(`/tenements?per_page=100&${query}`))).data
  const before = new Map((await listOf("as_of=3")).map((record) => [record.id, record]))
  const after = await listOf("updated_since=3")
  const changes = cellsOf(page, "Added or changed").map((cells) => cells.at(-1) ?? "")
  expect(changes).toHaveLength(after.length)
  expect(changes).toContain("added")
  expect(changes.filter((change) => change.includes("State:")).length).toBeGreaterThan(0)
  for (const [index, record] of after.entries()) {
    const earlier: Shown | undefined = before.get(record.id)
    expect([record.id, changes[index] === "added"]).toEqual([record.id, earlier === undefined])
    if (earlier && earlier.state !== record.state) {
      expect(changes[index]).toContain(`State: ${earlier.state} → ${record.state}`)
    }
  }
})

test("The page begins with the last release, and every page of data leads to it", async () => {
  const page = await person.read("/explore/changes")
  expect(textOf(page)).toContain(`Between release ${newest - 1} of`)
  const overview = await person.read("/")
  expect([linkTo(overview, "What changed"), linkTo(overview, `Release ${newest}`)]).toEqual([
    "/explore/changes",
    "/explore/changes",
  ])
  const list = await person.read("/explore/tenements?state=WA")
  const address = linkTo(list, "Changes") ?? ""
  expect(address).toBe("/explore/changes/tenements?state=WA")
  const csv = await person.get(linkTo(await person.read(`${address}&since=2`), "CSV") ?? "")
  const same = await service.get(`/tenements?state=WA&updated_since=2`)
  expect(csv.headers.get("x-total-count")).toBe(same.headers.get("x-total-count"))
  const ofCompany = await person.read("/explore/companies/ALP/tenements")
  expect(linkTo(ofCompany, "Changes")).toBe("/explore/changes/tenements?company=ALP")
})

test.each([
  ["since=2999-01-01", "Must not be in the future"],
  ["since=99", "Release 99"],
  ["since=3&as_of=2", "Must not be after release 2"],
])("The page marks the field since for %s", async (query, message) => {
  const page = await person.read(`/explore/changes?${query}`, 400)
  expect(faultAt(page, "since")).toContain(message)
  expect(textOf(page)).toContain(`since : ${faultAt(page, "since")}`)
  expect(textOf(page)).not.toMatch(/(updated|removed)_since/)
})

test("Blanks around a point in time have no meaning", async () => {
  const sentenceOf = async (query: string) =>
    leadOf(await person.read(`/explore/changes/tenements?${query}`))
  expect(await sentenceOf("since=+2+&as_of=%094")).toBe(await sentenceOf("since=2&as_of=4"))
})

test("Each part of the page has a name of its own", async () => {
  const page = await person.read("/explore/changes/tenements?since=3")
  const names = [...page.matchAll(/<(?:nav|section|div)\b[^>]* aria-label="([^"]*)"/g)]
  expect(names.length).toBeGreaterThan(4)
  expect(new Set(names.map(([, name]) => name)).size).toBe(names.length)
})

test("The page explains a point in time without a release, and returns 404 for an unknown list", async () => {
  const page = await person.read("/explore/changes/tenements?since=yesterday", 400)
  expect(faultAt(page, "since")).toContain("Must be a release number, a date")
  expect(headingOf(page)).toBe("Changes")
  // The style hides the button where a script shows the results as one types.
  const has = (part: string) => page.includes(part)
  expect([has("Apply</button>"), has('id="results"'), has("/assets/explore.")]).toEqual([
    true,
    false,
    false,
  ])
  await person.read("/explore/changes/nothing", 404)
})
