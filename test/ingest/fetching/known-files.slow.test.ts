/**
 * What a fetch does with files that it knows: it compares them again; and files that others have superseded
 * are no failure.
 */
import { beforeEach, expect, test } from "bun:test"
import { rmSync } from "node:fs"
import type { FetchOptions } from "../../../src/ingest/fetching/fetch-source.ts"
import { newerFilesText } from "../../../src/ingest/loading/observation.ts"
import { directory, fetchBench, modified } from "./fetch-bench.ts"
import { plain, reply } from "./misbehaving-server.ts"

const bench = await fetchBench()
beforeEach(() => bench.reset())

const fetched = ({ entry = {}, ...options }: Partial<FetchOptions> & { entry?: object } = {}) =>
  bench.fetched({ force: false, ...options }, { every: 0, ...entry })
const observed = async () =>
  (await bench.sql`select last_observed_at as at from sources where name = 'asx-directory'`)[0]?.at
const many = Array.from({ length: 40 }, (_, index) => `Q${index + 10}`)

test("An unchanged file is compared again, and publishes nothing unless a record or an option differs", async () => {
  bench.serve(directory("QZA", "QZB Banks"))
  await fetched()
  const nothing = { outcome: "unchanged", summary: { release: null } }
  expect(await fetched()).toMatchObject(nothing)
  await bench.sql`delete from companies`
  expect(await fetched()).toMatchObject({ outcome: "published", reason: null })
  expect(await bench.codes()).toEqual(["QZA"])
  bench.hours(1)
  const wider = { entry: { all_sectors: true } }
  expect((await fetched(wider)).outcome).toBe("published")
  expect(await bench.codes()).toEqual(["QZA", "QZB"])
  for (const options of [wider, {}, { entry: { partial: true } }, { absentAfterHours: 24 }]) {
    expect(await fetched(options)).toMatchObject(nothing)
  }
})

test("Fetched files older than files loaded by hand count as unchanged", async () => {
  bench.serve(directory("QZA"))
  await fetched()
  await bench.load("asx-directory", directory("QZA", "QZB"), { observed: "2026-01-10T12:00:00Z" })
  bench.hours(24)
  const expected = {
    outcome: "unchanged",
    reason: newerFilesText("asx-directory", "2026-01-10T12:00:00Z", true),
    summary: null,
  }
  expect(await fetched()).toMatchObject(expected)
  expect(await bench.status()).toEqual({
    last_outcome: "unchanged",
    last_reason: null,
    last_observed_at: new Date("2026-01-10T12:00:00Z"),
  })
  expect(await bench.codes()).toEqual(["QZA", "QZB"])
  // Also where it is forced, or fetched by a host that has not kept the file.
  expect(await fetched({ force: true })).toMatchObject(expected)
  rmSync(bench.dataDir, { recursive: true })
  expect(await fetched()).toMatchObject(expected)
  // So do other files that are older than the loaded ones.
  bench.serve(directory("QZC"), { ...modified, ETag: '"1a"' })
  expect(await fetched({ force: true })).toMatchObject(expected)
  expect(await bench.releases()).toBe(2)
  // A version of its own later is loaded as ever.
  const later = { "Last-Modified": "Sun, 11 Jan 2026 08:00:00 GMT", ETag: '"2"' }
  bench.hours(24)
  bench.serve(directory("QZA", "QZB", "QZC"), later)
  expect((await fetched()).outcome).toBe("published")
})

test("After a load by hand without --observed, the message of the next fetch says what to do", async () => {
  bench.serve(directory("QZA"))
  await fetched()
  await bench.load("asx-directory", directory("QZA", "QZB"))
  const at = (await observed()).toISOString().replace(".000Z", "Z")
  for (const force of [false, true]) {
    expect(await fetched({ force })).toMatchObject({
      outcome: "unchanged",
      reason: expect.stringContaining(`if these files are newer, load them with --observed ${at}`),
    })
  }
})

test("A fetch corrects the assumed time of bytes that were loaded by hand", async () => {
  await bench.load("asx-directory", directory("QZA"))
  bench.serve(directory("QZA"))
  expect(await fetched()).toMatchObject({ outcome: "unchanged", reason: null })
  expect(await observed()).toEqual(new Date(modified["Last-Modified"]))
})

test("A rejected file stays rejected until a newer file is loaded by hand", async () => {
  bench.serve(directory(...many))
  await fetched()
  const later = { "Last-Modified": "Sat, 10 Jan 2026 08:00:00 GMT", ETag: '"2"' }
  bench.serve(directory(...many.slice(20)), later)
  bench.hours(24)
  expect((await fetched()).outcome).toBe("refused")
  expect((await fetched()).outcome).toBe("refused")
  await bench.load("asx-directory", directory(...many, "QZZ"), { observed: "2026-01-10T12:00:00Z" })
  expect(await fetched()).toMatchObject({
    outcome: "unchanged",
    reason: newerFilesText("asx-directory", "2026-01-10T12:00:00Z", true),
  })
  expect(await bench.codes()).toEqual([...many, "QZZ"])
})

test("An undated file has the time at which its server last sent it", async () => {
  bench.server.respond(() => plain(directory("QZA")))
  await fetched()
  bench.hours(24)
  expect(await fetched()).toMatchObject({ outcome: "unchanged" })
  expect(await observed()).toEqual(new Date("2026-01-11T00:00:00Z"))
  bench.hours(24)
  bench.server.respond(() => reply(304, {}))
  await fetched()
  expect(await observed()).toEqual(new Date("2026-01-11T00:00:00Z"))
  // Dated now, to before: the same bytes say nothing newer.
  bench.server.respond(() => reply(200, modified, directory("QZA")))
  expect(await fetched()).toMatchObject({ outcome: "unchanged", reason: null })
  expect(await observed()).toEqual(new Date("2026-01-11T00:00:00Z"))
})

test("A missing record is removed after a late new download, not after a 304", async () => {
  const isActive = async () => (await bench.codes()).length === 40
  for (const confirmed of [true, false]) {
    await bench.reset()
    bench.server.respond(() => plain(directory(...many)))
    await fetched()
    bench.hours(1)
    const lacking = directory(...many.slice(1))
    bench.server.respond(({ headers }) =>
      confirmed && headers["if-none-match"]
        ? reply(304, {})
        : reply(200, { ETag: '"lacking"' }, lacking),
    )
    await fetched()
    bench.hours(47)
    await fetched()
    expect(await isActive()).toBe(true)
    bench.hours(1)
    await fetched()
    expect(await isActive()).toBe(confirmed)
  }
})
