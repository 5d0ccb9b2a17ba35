/** The page of changes shows what the API's lists of changes have, with the fields before and after. */
import { expect, test } from "bun:test"
import { decide, publishDecisions } from "../../../src/ingest/loading/link-decisions.ts"
import { silent } from "../../../src/ingest/loading/progress.ts"
import { seeded } from "../../../src/sample/random.ts"
import { readList, type Shown } from "../../contract/bodies.ts"
import { fileLoader } from "../../ingest/loading/file-loader.ts"
import { none } from "../../support/fixtures.ts"
import { serviceOfFile } from "../../support/service.ts"
import {
  barsOf,
  cellsOf,
  faultAt,
  headingOf,
  hiddenField,
  leadOf,
  linkTo,
  textOf,
} from "./page-reader.ts"
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

/** Of each list, with each of its filters. */
const queries = (["companies", "tenements", "reports"] as const).flatMap((kind) =>
  filters[kind].map((query) => ({ kind, query })),
)
/** Announcements have their days in Sydney. */
const zoneOf = (query: string) => (query.startsWith("from") ? "&timezone=Australia/Sydney" : "")

const totalOf = async (list: string): Promise<number> =>
  (await readList(await service.get(list))).meta.total

async function compare(kind: Kind, query: string, since: number, at: number): Promise<void> {
  const address = `/explore/changes/${kind}?${query}&since=${since}&as_of=${at}&per_page=100`
  const page = await person.read(address)
  for (const [name, title] of [
    ["updated_since", "Added or changed"],
    ["removed_since", "Removed"],
  ] as const) {
    const list = `/${kind}?${query}${zoneOf(query)}&${name}=${since}&as_of=${at}`
    const { data, meta } = await readList(await service.get(`${list}&per_page=100`))
    expect([address, numberIn(page, title)]).toEqual([address, meta.total])
    const shown = cellsOf(page, title).map(([first]) => first)
    expect([address, shown]).toEqual([address, data.map((record) => String(record[keys[kind]]))])
    const whole = await totalOf(`/${kind}?${name}=${since}&as_of=${at}`)
    const row = cellsOf(page, "Changes by list").find(
      ([list]) => list?.toLowerCase() === (kind === "reports" ? "announcements" : kind),
    )
    expect(row?.[name === "updated_since" ? 1 : 2]).toBe(String(whole))
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
      const total = await totalOf(`${others}&${name}=${label}`)
      expect([list, label, records]).toEqual([list, label, total])
    }
  }
}

interface Chip {
  label: string
  records: number
  href: string
  isChosen: boolean
}

const chipsOf = (page: string): Chip[] =>
  [
    ...page.matchAll(
      /<a class="chip" href="([^"]*)"([^>]*)>([^<]*?) ([\d,]+)(?:<span aria-hidden="true"> ×<\/span>)?<\/a>/g,
    ),
  ].map(([, href = "", marks = "", label = "", records = ""]) => ({
    label,
    records: Number(records.replaceAll(",", "")),
    href: href.replaceAll("&amp;", "&"),
    isChosen: marks.includes("aria-current"),
  }))

test("The counts and rows between random releases are those of the API's lists", async () => {
  for (const { kind, query } of queries) {
    const at = 1 + Math.floor(random() * newest)
    await compare(kind, query, Math.floor(random() * (at + 1)), at)
  }
})

test("Each kind of change has the count of the API's list of it, and its link shows only that kind", async () => {
  let seen = 0
  for (const { kind, query } of queries) {
    const address = `/explore/changes/${kind}?${query && `${query}&`}since=3&as_of=${newest}`
    for (const { label, records, href, isChosen } of chipsOf(await person.read(address))) {
      const chosen = new URLSearchParams(href.split("?")[1]).get("changed")
      const list = `/${kind}?${query}${zoneOf(query)}&as_of=${newest}&`
      const part = chosen === "removed" ? "removed_since=3" : `updated_since=3&changed=${chosen}`
      const total = await totalOf(list + part)
      expect([href, label, records, isChosen]).toEqual([href, label, total, false])
      // Links are made alike with any filter, so the pages behind those of one are read.
      if (query !== filters[kind].at(-1)) continue
      const page = await person.read(href)
      const [shown, hidden] = ["Added or changed", "Removed"]
      expect(numberIn(page, chosen === "removed" ? hidden : shown)).toBe(records)
      expect(numberIn(page, chosen === "removed" ? shown : hidden)).toBeNaN()
      expect(chipsOf(page).filter((chip) => chip.isChosen)).toMatchObject([{ label, records }])
      seen++
    }
  }
  expect(seen).toBeGreaterThan(8)
})

test("Several kinds can be chosen; each is left out again by itself, and filters keep them", async () => {
  const first = `/explore/changes/tenements?since=3&changed=status&as_of=${newest}`
  const page = await person.read(first)
  const holder = chipsOf(page).find(({ label }) => label === "Holder")
  expect(holder?.href).toContain("changed=status%2Cholder_name")
  const both = await person.read(holder?.href ?? "")
  const labels = chipsOf(both).flatMap(({ label, isChosen }) => (isChosen ? [label] : []))
  expect(labels).toEqual(["Status", "Holder"])
  expect(chipsOf(both).find(({ label }) => label === "Status")?.href).toEndWith(
    "&changed=holder_name",
  )
  expect(hiddenField(both, "changed")).toBe("status,holder_name")
  expect(linkTo(both, "Reset")).not.toContain("changed")
  await person.read("/explore/changes/tenements?changed=colour", 400)
})

const cellsOfCsv = async (address: string) => {
  const response = await person.get(address)
  expect(response.headers.get("content-disposition")).toContain("changes-of-tenements.csv")
  const [head, ...rows] = (await response.text()).trim().split("\r\n")
  expect(head).toBe("record,field,before,after,kind,release")
  return rows.toSorted()
}

test("The CSV has one row for each change, of the chosen kinds and the filtered list", async () => {
  const read = async (query: string) =>
    (await readList(await service.get(`/tenements?per_page=100&${query}`))).data
  const expected = async (query: string, chosen?: readonly string[]) => {
    const fields = "id,tenement_id,state,status,type,holder_name,asx_codes,source,since_release"
    const before = new Map((await read(`as_of=3&fields=${fields}`)).map((each) => [each.id, each]))
    const after = await read(`${query}&updated_since=3&fields=${fields},changed`)
    const kinds: Record<string, string> = {
      asx_codes: "companies",
      holder_name: "holder",
      tenement_id: "tenement",
    }
    const rows = after.flatMap((record) =>
      [record.changed].flat().map((name) => {
        const cell = (at: Shown | undefined) =>
          name === "added" ? "" : [at?.[`${name}`]].flat().join("; ")
        const field = name === "added" ? "" : name
        const kind = kinds[`${name}`] ?? `${name}`
        const row = [
          record.id,
          field,
          cell(before.get(record.id)),
          cell(record),
          kind,
          record.since_release,
        ]
        return { name: `${name}`, row: row.join() }
      }),
    )
    const removed = (await read(`${query}&removed_since=3`)).map(({ id }) => ({
      name: "removed",
      row: `${id},,,,removed,`,
    }))
    const shown = [...rows, ...removed].filter(({ name }) => !chosen || chosen.includes(name))
    return shown.map(({ row }) => row).toSorted()
  }
  const csv = async (query: string) =>
    cellsOfCsv(
      linkTo(await person.read(`/explore/changes/tenements?since=3&${query}`), "CSV") ?? "",
    )
  expect(await csv("")).toEqual(await expected(""))
  expect(await csv("state=WA&per_page=25")).toEqual(await expected("state=WA"))
  for (const chosen of [
    ["holder_name"],
    ["added", "removed"],
    ["removed"],
    ["status", "asx_codes"],
  ]) {
    expect(await csv(`changed=${chosen}`)).toEqual(await expected("", chosen))
  }
  expect((await csv("")).length).toBeGreaterThan(20)
  const address = "/explore/changes/tenements.csv"
  expect((await person.get(`${address}?since=yesterday`)).status).toBe(400)
})

test("The periods that people often choose are links", async () => {
  const page = await person.read("/explore/changes/tenements?state=WA")
  const day = (days: number) =>
    new Date(service.clock.now.getTime() - days * 86_400_000).toISOString().slice(0, 10)
  for (const [title, since] of [
    ["7 days", day(7)],
    ["30 days", day(30)],
  ] as const) {
    expect(linkTo(page, title)).toBe(`/explore/changes/tenements?state=WA&since=${since}`)
  }
  expect(linkTo(page, "Last release")).toBe("/explore/changes/tenements?state=WA")
})

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
  expect(await person.read(`${address}&since=2`)).toContain("Added or changed: ")
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

test("After a decision on links, the page shows the last register's changes without those of links", async () => {
  const listed = (query: string) => totalOf(`/tenements?${query}`)
  await loadNext("tenements")
  const register = newest + 1
  const links = [{ holder: "ALP LTD", asxCode: "BET", isRight: true }]
  await decide(service.database.url, links)
  await publishDecisions(service.database.url, silent)
  const page = await person.read("/explore/changes")
  expect(textOf(page)).toContain(`Between release ${register - 1} of`)
  const since = `updated_since=${register - 1}`
  const kinds =
    "added,tenement_id,state,status,type,holder_name,grant_date,expiry_date,area_km2,geometry,source"
  expect(numberIn(page, "Added or changed")).toBe(await listed(`${since}&changed=${kinds}`))
  expect(await listed(since)).toBeGreaterThan(await listed(`${since}&changed=${kinds}`))
  const [companies, ...others] = chipsOf(page).toSorted(
    (one, other) => Number(one.isChosen) - Number(other.isChosen),
  )
  expect(companies).toMatchObject({ label: "Companies", isChosen: false })
  expect(companies?.records).toBe(await listed(`${since}&changed=asx_codes`))
  expect(others.map(({ isChosen }) => isChosen)).not.toContain(false)
  const ofLinks = await person.read(`/explore/changes?since=${register}&changed=asx_codes`)
  expect(numberIn(ofLinks, "Added or changed")).toBe(await listed(`updated_since=${register}`))
  // A release of a register shows everything.
  const earlier = await person.read(`/explore/changes?as_of=${register}`)
  expect(chipsOf(earlier).some(({ isChosen }) => isChosen)).toBe(false)
})
