/**
 * Sixty days of the exchange, invented, and what a daily reader of its directory must know of each company.
 * The model knows the companies themselves, of which the directory shows only codes, names and dates; it
 * uses none of the service's code.
 */
import { expect, test } from "bun:test"
import { silent } from "../../../src/ingest/loading/progress.ts"
import { decideSuccessors, readProposedSuccessors } from "../../../src/ingest/loading/successors.ts"
import { seeded } from "../../../src/sample/random.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()
const random = seeded(23)
const days = 60
const upTo = (below: number) => Math.floor(random() * below)

interface Company {
  /** Unlike its code and its name, it is nobody else's: two companies of one date are listed here too. */
  number: number
  date: string
  /** Of the days from each on. */
  codes: Map<number, string>
  names: Map<number, string>
  /** First and last day under a temporary code, and that code's letter. */
  temporary: { from: number; to: number; letter: string } | null
  /** Days on which a second code with the same ending is listed beside the ordinary one. */
  beside: { from: number; to: number } | null
  listedFrom: number
  listedTo: number
  /** Days on which the capture lacks it. */
  flaps: Set<number>
  /** A day on which the capture has another company's listing date. */
  wrongDate?: number
}

const at = <T>(history: Map<number, T>, day: number): T =>
  [...history].filter(([from]) => from <= day).at(-1)?.[1] as T
const codeOf = (index: number) =>
  `${String.fromCharCode(65 + Math.floor(index / 26), 65 + (index % 26))}X`
const dayText = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString().slice(0, 10)
const isListed = ({ listedFrom, listedTo }: Company, day: number) =>
  listedFrom <= day && day <= listedTo
const isTemporary = ({ temporary }: Company, day: number) =>
  temporary !== null && temporary.from <= day && day <= temporary.to

let number = 0
function company(code: string, others: Partial<Company> = {}): Company {
  number++
  return {
    number,
    date: dayText(-4000 - (number % 40)),
    codes: new Map([[0, code]]),
    names: new Map([[0, `Company ${number} Limited`]]),
    temporary: null,
    beside: null,
    listedFrom: 1,
    listedTo: days,
    flaps: new Set(),
    ...others,
  }
}

/** Each kind of event happens to several companies, at random times. */
function generateCompanies(): Company[] {
  const all = Array.from({ length: 130 }, (_, index) => {
    const listed = company(codeOf(index))
    // Each first name has been listed for six days before.
    const event = 12 + upTo(26)
    const name = `Renamed ${listed.number} Limited`
    const letter = String.fromCharCode(65 + upTo(4))
    const spell = { from: event, to: event + 4 + upTo(6), letter }
    switch (index % 13) {
      case 0: // a consolidation
        listed.temporary = spell
        break
      case 1: // a consolidation, with a name that changes meanwhile
        listed.temporary = spell
        listed.names.set(event + 2, name)
        break
      case 2: // a consolidation whose code is listed some days before
        listed.temporary = spell
        listed.beside = { from: event - 3, to: event - 1 }
        break
      case 3: // a new code
        listed.codes.set(event, `N${listed.number}`.padEnd(4, "X"))
        break
      case 4: // a new code and, before, a new name
        listed.names.set(event - 3, name)
        listed.codes.set(event, `N${listed.number}`.padEnd(4, "X"))
        break
      case 5: // both at once
        listed.names.set(event, name)
        listed.codes.set(event, `N${listed.number}`.padEnd(4, "X"))
        break
      case 6: // a new name
        listed.names.set(event, name)
        break
      case 7: // the end
        listed.listedTo = event
        break
      case 8: // a first day under a temporary code, which is a code of its own then
        listed.listedFrom = event
        listed.codes = new Map([
          [0, `${codeOf(index)}D${letter}`],
          [event + 4, codeOf(index)],
        ])
        break
    }
    const wrongDate = 10 + upTo(48)
    const isStable = listed.codes.size === 1 && !listed.names.has(wrongDate)
    if (index % 3 === 0 && isStable) listed.wrongDate = wrongDate
    if (index % 13 > 8) {
      // Captures of less than two days that lack it are no end.
      for (let day = 5 + upTo(9); day < days; day += 4 + upTo(9)) listed.flaps.add(day)
    }
    return listed
  })
  const ended = all.filter(({ listedTo, codes }) => listedTo < days || codes.size > 1)
  const heirs = ended.slice(0, 14).map((earlier) => {
    const free = Math.min(earlier.listedTo + 1, ...[...earlier.codes.keys()].slice(1))
    const listedFrom = free + 8
    return company(at(earlier.codes, 0), { listedFrom, date: dayText(listedFrom) })
  })
  return [...all, ...heirs.filter(({ listedFrom }) => listedFrom < days)]
}

const world = generateCompanies()

/** The rows of the directory on a day. */
function capture(day: number): string[] {
  return world
    .filter((one) => isListed(one, day) && !one.flaps.has(day))
    .flatMap((one) => {
      const code = at(one.codes, day)
      const { temporary, beside } = one
      const longer = `${code}D${temporary?.letter}`
      if (isTemporary(one, day)) return [row(longer, one, day)]
      const isBeside = beside !== null && beside.from <= day && day <= beside.to
      return [row(code, one, day), ...(isBeside ? [row(longer, one, day)] : [])]
    })
}

function row(code: string, { names, date, number, wrongDate }: Company, day: number): string {
  const listed = day === wrongDate ? dayText(-4000 - ((number + 7) % 40)) : date
  const [year, month, dayOfMonth] = listed.split("-")
  return `${code},${at(names, day)},Materials,${dayOfMonth}/${month}/${year},${1000 + day}`
}

const header = "ASX code,Company name,GICs industry group,Listing date,Market Cap"
const everyName = world.flatMap((one) => [...one.names.values()].map((name) => ({ name, one })))

test("A daily reader never loses a listed company, and links nothing to another company", async () => {
  const tenements = everyName.map(
    ({ name }, index) => `t${index},E ${index},WA,${name.toUpperCase()}`,
  )
  await bench.load("tenements", `id,tenement_id,state,holder_name\n${tenements.join("\n")}\n`)
  for (let day = 1; day <= days; day++) {
    // Now and then a capture is that of the day before.
    const shown = day % 17 === 0 ? day - 1 : day
    await bench.load("asx-directory", `${[header, ...capture(shown)].join("\n")}\n`, {
      acceptShrink: true,
      observed: dayText(day),
    })
    await decideAll(shown)
    await checkDay(shown)
  }
  await checkEnd()
}, 600_000)

/** An operator who knows the companies. */
async function decideAll(day: number): Promise<void> {
  const proposed = await readProposedSuccessors(bench.url)
  const decisions = proposed.map(({ predecessor, successor }) => {
    const isRight = world.some((one) => {
      const [first, second] = one.codes.values()
      return first === predecessor && second === successor && isListed(one, day)
    })
    return { predecessor, successor, isRight }
  })
  if (decisions.length > 0) await decideSuccessors(bench.url, decisions, silent)
}

interface Stored {
  date: string
  isActive: boolean
  name: string
  cap: number
  total: number
}

async function stored(): Promise<Map<string, Stored>> {
  const rows = await bench.sql`
    select asx_code, company_name, is_active, listing_date::text, market_cap_aud::integer as cap,
      total_tenements from companies`
  return new Map(
    rows.map((row) => [
      row.asx_code,
      {
        date: row.listing_date,
        isActive: row.is_active,
        name: row.company_name,
        cap: row.cap,
        total: row.total_tenements,
      },
    ]),
  )
}

const linked = async () =>
  (await bench.sql`select asx_codes from tenements order by length(id), id`).map(
    (row) => row.asx_codes as string[],
  )

async function checkDay(day: number): Promise<void> {
  const companies = await stored()
  const wrong: unknown[] = []
  for (const one of world) {
    const code = at(one.codes, day)
    const record = companies.get(code)
    // A company that no capture has shown is not known yet.
    if (isListed(one, day) && !one.flaps.has(day)) {
      const isRight =
        record?.isActive && record.date === one.date && record.name === at(one.names, day)
      if (!isRight || record?.cap !== 1000 + day) wrong.push([day, code, one.number, record])
    }
    if (isListed(one, day) && !record?.isActive) wrong.push([day, code, "is not listed", record])
    if (day > one.listedTo + 3 && record?.isActive && record.date === one.date) {
      wrong.push([day, code, "is listed", record])
    }
  }
  // A temporary code is no company, unless the ordinary one is listed too, or was never known.
  for (const { codes, temporary, beside } of world) {
    const code = `${codes.get(0)}D${temporary?.letter}`
    if (temporary && !beside && companies.has(code)) wrong.push([day, code, "is a company"])
  }
  const links = await linked()
  const totals = new Map<string, number>()
  for (const [index, codes] of links.entries()) {
    const { name, one } = everyName[index] ?? {}
    for (const code of codes) {
      totals.set(code, (totals.get(code) ?? 0) + 1)
      // The company of the code today is the one that bore the name.
      const isRight =
        one && [...one.codes.values()].includes(code) && companies.get(code)?.date === one.date
      if (!isRight) wrong.push([day, name, "is linked to", code])
    }
  }
  for (const [code, { total }] of companies) {
    if (total !== (totals.get(code) ?? 0)) wrong.push([day, code, "has a wrong total"])
  }
  expect(wrong).toEqual([])
}

/** Every name of a listed company links to its code, however it came by either. */
async function checkEnd(): Promise<void> {
  const links = await linked()
  const wrong = everyName.flatMap(({ name, one }, index) => {
    const expected = isListed(one, days) ? [at(one.codes, days)] : undefined
    return expected && links[index]?.join() !== expected.join()
      ? [[name, links[index], expected]]
      : []
  })
  expect(wrong).toEqual([])
  const changes = world
    .map((one) => [...one.codes.values()])
    // A longer code that ends is a secondary listing that ends.
    .filter(([first, second]) => second !== undefined && !first?.startsWith(second))
  const successors = await bench.sql`
    select asx_code, successor from successor_decisions where is_right order by asx_code`
  expect(successors.map(({ asx_code, successor }) => `${asx_code} ${successor}`)).toEqual(
    changes.map((codes) => codes.join(" ")).sort(),
  )
}
