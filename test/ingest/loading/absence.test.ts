/** A record that one download lacks is missing: it is removed when loads of some days confirm it. */
import { expect, test } from "bun:test"
import type { LoadOptions } from "../../../src/ingest/loading/load-options.ts"
import { formatSummary } from "../../../src/ingest/loading/summary.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const header = '"ASX code","Company name","GICs industry group","Listing date","Market Cap"'
const bhp = '"BHP","BHP GROUP LIMITED","Materials","13/08/1885",218334000000'
/** Fifty in all, so that five are within the guard. */
const others = Array.from({ length: 49 }, (_, index) => {
  const code = `Q${String(index).padStart(2, "0")}`
  return `"${code}","QUARRY ${code} LIMITED","Materials","01/02/2003",${1000 + index}`
})
const capture = (...rows: readonly string[]) => [header, ...rows, ""].join("\n")
const whole = capture(bhp, ...others)
const withoutBhp = capture(...others)

/** A load of files that were true so many hours after the first capture. */
const at = (hours: number) => ({
  observed: `${new Date(Date.UTC(2020, 0, 1, hours)).toISOString().slice(0, 19)}Z`,
})
const load = (rows: string, hours: number, options: Partial<LoadOptions> = {}) =>
  bench.load("asx-directory", rows, { ...at(hours), ...options })

const isActive = async (code = "BHP") =>
  (await bench.sql`select is_active from companies where asx_code = ${code}`)[0]?.is_active
const activeCount = async () =>
  (await bench.sql`select count(*)::integer as count from companies where is_active`)[0]?.count
const missing = async () =>
  (
    await bench.sql`
      select key, loads, extract(epoch from last_missing_at - missing_since)::integer / 3600 as hours
      from missing_records order by key`
  ).map(({ key, loads, hours }) => [key, loads, hours])

test("A company missing from one download stays active; its return changes nothing, and restarts the count of its absence", async () => {
  await load(whole, 0)
  const lacking = await load(withoutBhp, 1)
  expect(lacking.release).toBeNull()
  expect(lacking.missing).toMatchObject({ missing: 1, newly: 1, returned: 0 })
  expect(formatSummary(lacking)).toContain(
    "1 missing, 1 of them newly, kept for now: BHP (BHP GROUP LIMITED); list them with",
  )
  expect(await isActive()).toBe(true)
  const back = await load(whole, 30)
  expect(back.release).toBeNull()
  expect(back.missing).toMatchObject({ missing: 0, newly: 0, returned: 1 })
  expect(formatSummary(back)).toContain("  1 no longer missing")
  expect(await missing()).toEqual([])
  await load(withoutBhp, 40)
  await load(withoutBhp, 60)
  expect(await isActive()).toBe(true)
  expect(await missing()).toEqual([["BHP", 2, 20]])
})

test("A company becomes inactive once it has been missing for 48 hours and in at least two loads", async () => {
  await load(whole, 0)
  for (const hours of [1, 2, 48]) expect((await load(withoutBhp, hours)).release).toBeNull()
  expect(await missing()).toEqual([["BHP", 3, 47]])
  const gone = await load(withoutBhp, 49)
  expect(gone.changes).toEqual({ added: 0, changed: 0, removed: 0, deactivated: 1 })
  expect(await isActive()).toBe(false)
  expect(await missing()).toEqual([])
  expect((await load(withoutBhp, 50)).release).toBeNull()
  expect((await load(whole, 51)).changes.changed).toBe(1)
  expect(await isActive()).toBe(true)
})

test("A company of a monthly source becomes inactive with the second load that lacks it", async () => {
  await load(whole, 0)
  await load(withoutBhp, 31 * 24)
  expect(await isActive()).toBe(true)
  await load(withoutBhp, 61 * 24)
  expect(await isActive()).toBe(false)
})

test("Files of the same time are one observation, however often they are loaded", async () => {
  await load(whole, 0)
  for (const code of ["Q00", "Q01"]) {
    const row = new RegExp(`^"${code}".*\n`, "m")
    await load(withoutBhp.replace(row, ""), 1, { absentAfterHours: 0 })
  }
  expect(await missing()).toEqual([
    ["BHP", 1, 0],
    ["Q01", 1, 0],
  ])
  expect(await activeCount()).toBe(50)
})

test("The same bytes without a time are the same download", async () => {
  const now = { absentAfterHours: 0 }
  await bench.load("asx-directory", whole, now)
  await bench.load("asx-directory", withoutBhp, now)
  await bench.sql`update sources set last_observed_at = last_observed_at - interval '1 year'`
  await bench.sql`update missing_records set
    missing_since = missing_since - interval '1 year', last_missing_at = last_missing_at - interval '1 year'`
  expect((await bench.load("asx-directory", withoutBhp, now)).missing.missing).toBe(1)
  expect(await isActive()).toBe(true)
  await bench.load("asx-directory", `${withoutBhp}\n`, now)
  expect(await isActive()).toBe(false)
})

test("The same bytes are the same download also after a load that could remove nothing", async () => {
  const now = { absentAfterHours: 0 }
  await bench.load("asx-directory", whole, now)
  await bench.load("asx-directory", withoutBhp, now)
  const between = [
    () => bench.load("asx-directory", capture(...others.slice(0, 3)), { ...now, partial: true }),
    () => bench.load("asx-directory", `${withoutBhp}"Q"99","A","Materials","01/02/2003",1\n`, now),
  ]
  for (const load of between) {
    await load()
    await bench.sql`update missing_records set
      missing_since = missing_since - interval '1 year', last_missing_at = last_missing_at - interval '1 year'`
    expect((await bench.load("asx-directory", withoutBhp, now)).missing.missing).toBe(1)
    expect(await missing()).toEqual([["BHP", 1, 0]])
  }
  await bench.load("asx-directory", `${withoutBhp}\n`, now)
  expect(await isActive()).toBe(false)
})

test("Newly missing records stop a load; records that were already missing do not", async () => {
  await load(whole, 0)
  await load(capture(...others.slice(1)), 1)
  await load(capture(...others.slice(3)), 2)
  expect(await missing()).toHaveLength(4)
  expect(await bench.refusal("asx-directory", capture(...others.slice(9)), at(3))).toStartWith(
    "Nothing was published: 6 of the 50 active companies of the source asx-directory (12.0%) " +
      "are missing from the files, and were not before. " +
      "Among them are Q08 (QUARRY Q08 LIMITED); Q07 (QUARRY Q07 LIMITED); Q06 (QUARRY Q06 LIMITED). If a file is truncated or left out, load all files of the source together, or these with --partial; if the records no longer exist, add --accept-shrink",
  )
  expect(await missing()).toHaveLength(4)
  // Here more than a twentieth is removed, confirmed by two loads.
  expect((await load(capture(...others.slice(3)), 60)).changes.deactivated).toBe(4)
})

test("A dry run shows missing records and records none", async () => {
  await load(whole, 0)
  const dry = await load(withoutBhp, 1, { dryRun: true })
  expect(dry.missing).toMatchObject({ missing: 1, newly: 1, returned: 0 })
  expect(dry.missing.largest.map(({ key }) => key)).toEqual(["BHP"])
  expect(await missing()).toEqual([])
  const [source] = await bench.sql`select last_observed_at from sources`
  expect(source?.last_observed_at).toEqual(new Date(at(0).observed))
})

test("A load with removeMissingNow removes missing records at once, and the guard counts all of them", async () => {
  await load(whole, 0)
  await load(capture(...others.slice(1)), 1)
  const rows = capture(...others.slice(5))
  expect(
    await bench.refusal("asx-directory", rows, { ...at(2), removeMissingNow: true }),
  ).toContain(
    "6 of the 50 active companies of the source asx-directory (12.0%) are missing from the files and would be deactivated",
  )
  const removedNow = await load(rows, 2, { removeMissingNow: true, acceptShrink: true })
  expect(removedNow.changes.deactivated).toBe(6)
  expect(await missing()).toEqual([])
  for (const options of [{ partial: true }, {}]) {
    const source = options.partial ? "asx-directory" : "asx-announcements"
    const refusal = bench.refusal(source, whole, { ...options, removeMissingNow: true })
    expect(await refusal).toStartWith("Cannot remove missing records")
  }
})

test("A rejected row's record is not missing, and an unreadable row leaves no record missing", async () => {
  await load(whole, 0)
  await load(withoutBhp, 1)
  await load(whole.replace("218334000000", "lots"), 2)
  expect(await missing()).toEqual([])
  await load(`${withoutBhp}"Q,00"\n`, 3)
  expect(await missing()).toEqual([])
  await load(withoutBhp, 4)
  await load(`${withoutBhp}"Q,00"\n`, 60)
  expect(await missing()).toEqual([["BHP", 1, 0]])
})

test("A partial load ends the absence of the records that it has, and marks no record missing", async () => {
  await load(whole, 0)
  await load(capture(...others.slice(1)), 1)
  const partial = await load(capture(bhp), 2, { partial: true })
  expect(partial.missing).toMatchObject({ missing: 1, newly: 0, returned: 1 })
  expect(await missing()).toEqual([["Q00", 1, 0]])
})

test("Files older than the loaded ones, also partial ones, and files from the future are rejected", async () => {
  await load(whole, 5)
  for (const partial of [false, true]) {
    expect(await bench.refusal("asx-directory", withoutBhp, { ...at(4), partial })).toBe(
      "Cannot load files of 2020-01-01T04:00:00Z: asx-directory has been loaded from files of 2020-01-01T05:00:00Z, " +
        "and older values would replace newer ones. Load files in the order of their times",
    )
  }
  const future = { observed: "2999-01-01T00:00:00Z" }
  expect(await bench.refusal("asx-directory", whole, future)).toContain("in the future")
  expect((await load(whole, 5)).observed).toBe(at(5).observed)
})

test("The rejection of files older than an assumed time names an option that loads them", async () => {
  const { observed } = await bench.load("asx-directory", whole)
  const refusal = await bench.refusal("asx-directory", withoutBhp, at(4))
  expect(refusal).toContain("That time was assumed, since its load had no --observed")
  const option = refusal.split("load them with --observed ")[1]
  expect(option).toBe(observed)
  const again = await bench.load("asx-directory", withoutBhp, { observed: option })
  expect(again.files[0]?.accepted).toBe(49)
})

test("The same files are loaded again for their earlier time only where it was assumed", async () => {
  const observedAt = async () =>
    (
      await bench.sql`select last_observed_at as at, last_observed_is_known as known from sources`
    )[0]
  await bench.load("asx-directory", whole)
  await load(whole, 4)
  expect(await observedAt()).toEqual({ at: new Date(at(4).observed), known: true })
  expect(await bench.refusal("asx-directory", whole, at(3))).toContain("loaded from files of")
})

test("A corrected time is also that of the records that the files lack", async () => {
  await load(whole, 0)
  await bench.load("asx-directory", withoutBhp)
  await load(withoutBhp, 1)
  expect(await missing()).toEqual([["BHP", 1, 0]])
  await load(withoutBhp, 49)
  expect(await isActive()).toBe(false)
})

test("The source records the outcome of its last load, also unchanged or rejected", async () => {
  const status = async () => {
    const [row] = await bench.sql`select * from sources where name = 'asx-directory'`
    return row
  }
  await load(whole, 0)
  const published = await status()
  expect(published).toMatchObject({
    resource: "companies",
    last_outcome: "published",
    last_reason: null,
    last_observed_at: new Date(at(0).observed),
    last_release: 1,
    counts: { files: 1, read: 50, accepted: 50, rejected: 0, unknown_values: 0 },
  })
  await load(whole, 1)
  const unchanged = { ...published, last_outcome: "unchanged" }
  expect(await status()).toMatchObject({
    ...unchanged,
    last_loaded_at: expect.any(Date),
    last_observed_at: new Date(at(1).observed),
  })
  const refusal = await bench.refusal("asx-directory", capture(bhp), at(2))
  expect(await status()).toMatchObject({
    last_outcome: "refused",
    last_reason: refusal,
    last_observed_at: new Date(at(1).observed),
    last_release: 1,
  })
  await bench.refusal("asx-directory", "Bad Gateway", { dryRun: true })
  expect((await status())?.last_reason).toBe(refusal)
})

test("Rejected loads, older files and dry runs mark no record missing", async () => {
  await load(whole, 0)
  await load(withoutBhp, 1)
  await load(withoutBhp, 10)
  await bench.refusal("asx-directory", whole, at(5))
  await bench.refusal("asx-directory", capture(bhp), { ...at(25), dryRun: true })
  await bench.refusal("asx-directory", capture(...others.slice(20)), at(26))
  expect(await missing()).toEqual([["BHP", 2, 9]])
  await load(withoutBhp, 49)
  expect(await isActive()).toBe(false)
})
