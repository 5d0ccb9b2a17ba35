/** In a season of captures that misbehave, no company and no value is lost that the exchange has. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { LoadError } from "../../src/loading/load-error.ts"
import { type Capture, fileOf, seasonOfCaptures } from "./season-of-captures.ts"
import { type Workbench, workbench } from "./workbench.ts"

let bench: Workbench
beforeAll(async () => {
  bench = await workbench()
})
afterAll(() => bench.close())

/** What should be stored of a company, by the rules as the guide words them. */
interface Expected {
  name: string
  cap: number | null
  active: boolean
  /** The hours of the accepted captures since the last that had it, also if that was refused. */
  lackedAt: number[]
}

const absentAfterHours = 48
const seed = 12

/** Why the capture should be refused; undefined where it should be accepted. */
function expectedRefusal(expected: ReadonlyMap<string, Expected>, { rows }: Capture) {
  const active = [...expected].filter(([, { active }]) => active)
  const newly = active.filter(([code, { lackedAt }]) => !rows.has(code) && lackedAt.length === 0)
  if (newly.length > active.length / 20) return "missing"
  const known = [...rows].filter(([code]) => (expected.get(code)?.cap ?? null) !== null)
  const emptied = known.filter(([, { cap }]) => cap === null)
  return emptied.length > Math.max(5, known.length / 3) ? "empty" : undefined
}

function accept(expected: Map<string, Expected>, { hour, rows }: Capture): void {
  for (const [code, { name, cap }] of rows) {
    const before = expected.get(code)
    const kept = cap === undefined ? (before?.cap ?? null) : cap
    expected.set(code, { name, cap: kept, active: true, lackedAt: [] })
  }
  for (const [code, company] of expected) {
    if (rows.has(code) || !company.active) continue
    company.lackedAt.push(hour)
    const [first = hour] = company.lackedAt
    company.active = company.lackedAt.length < 2 || hour - first < absentAfterHours
  }
}

const load = (capture: Capture) => {
  const observed = new Date(Date.UTC(2019, 0, 1, capture.hour)).toISOString().slice(0, 19)
  return bench
    .load("asx-directory", fileOf(capture), { observed: `${observed}Z` })
    .catch((error: unknown) => error)
}

const stored = async (): Promise<Map<string, Omit<Expected, "lackedAt">>> =>
  new Map(
    (
      await bench.sql`
        select asx_code, company_name as name, market_cap_aud::float8 as cap, is_active as active
        from companies order by asx_code`
    ).map(({ asx_code, name, cap, active }) => [asx_code, { name, cap, active }]),
  )

/**
 * Everything that a refused load must leave as it was. Only the outcome of the last load is noted,
 * and a record that the file has is no longer missing.
 */
const everything = async (found: Capture["rows"]) => {
  const [companies, history, releases, missing] = await Promise.all([
    bench.sql`select t::text as row from companies t order by 1`,
    bench.sql`select t::text as row from companies_history t order by 1`,
    bench.sql`select t::text as row from releases t order by 1`,
    bench.sql`select m::text as row, key from missing_records m order by 1`,
  ])
  const rest = missing.filter(({ key }) => !found.has(key))
  return [companies, history, releases, rest].map((rows) => rows.map(({ row }) => row))
}

test("a season of flapping companies, cut files and emptied columns", async () => {
  const expected = new Map<string, Expected>()
  const delisted = new Map<string, number>()
  const counts = { none: 0, cut: 0, "cut a little": 0, emptied: 0, "three columns": 0 }
  const refusals = { missing: 0, empty: 0 }
  let flaps = 0
  let seenInRefused = 0
  for (const capture of seasonOfCaptures(seed)) {
    const { hour, listed, rows, fault } = capture
    const at = `hour ${hour}, ${fault}`
    counts[fault]++
    const refusal = expectedRefusal(expected, capture)
    const before = refusal && (await everything(rows))
    const outcome = await load(capture)
    expect([at, outcome instanceof LoadError]).toEqual([at, refusal !== undefined])
    if (refusal !== undefined) {
      refusals[refusal]++
      expect<unknown>([at, await everything(new Map())]).toEqual([at, before])
      for (const code of rows.keys()) {
        const company = expected.get(code)
        if (company && company.lackedAt.length > 0 && company.active) {
          seenInRefused++
          company.lackedAt = []
        }
      }
      continue
    }
    accept(expected, capture)
    const found = await stored()
    const model = [...expected].map(([code, { name, cap, active }]) => [
      code,
      { name, cap, active },
    ])
    expect([at, Object.fromEntries(found)]).toEqual([at, Object.fromEntries(model)])
    // What the exchange lists is active and its value is known, whatever the model says.
    const lost = [...found].filter(
      ([code, { active, cap }]) => listed.has(code) && !(active && cap !== null),
    )
    for (const code of found.keys()) {
      if (!listed.has(code) && !delisted.has(code)) delisted.set(code, hour)
      else if (listed.has(code) && !rows.has(code)) flaps++
    }
    // What it has not listed for some days is inactive, in spite of refused captures.
    const overlooked = [...delisted].filter(
      ([code, since]) => hour - since > 4 * absentAfterHours && found.get(code)?.active,
    )
    expect([at, lost, overlooked]).toEqual([at, [], []])
  }
  // The season had what it should show.
  expect(delisted.size).toBeGreaterThan(8)
  expect(flaps).toBeGreaterThan(50)
  expect(seenInRefused).toBeGreaterThan(3)
  expect(Math.min(...Object.values(counts), refusals.missing, refusals.empty)).toBeGreaterThan(2)
}, 600_000)
