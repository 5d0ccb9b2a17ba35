/**
 * What a fetch does with files that it knows: they are loaded again where the result may be another
 * one, and else left alone; and files that others have superseded are no failure.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { type FetchBench, fetchBench } from "./fetch-bench.ts"
import { plain, reply } from "./misbehaving-server.ts"

let bench: FetchBench
beforeAll(async () => {
  bench = await fetchBench()
})
beforeEach(async () => {
  await bench.empty()
  rmSync(bench.dataDir, { recursive: true, force: true })
  bench.clock.now = new Date("2026-01-10T00:00:00Z")
})
afterAll(() => bench.close())

const directory = (...rows: string[]) =>
  [
    "ASX code,Company name,GICs industry group,Listing date,Market Cap",
    ...rows.map((row) => {
      const [code, group = "Materials"] = row.split(" ")
      return `${code},QUARRY ${code} LIMITED,${group},,100`
    }),
    "",
  ].join("\n")
const fetched = ({
  entry = {},
  ...options
}: Parameters<FetchBench["fetch"]>[2] & { entry?: object } = {}) =>
  bench.fetch(
    "asx-directory",
    { kind: "file", url: `${bench.server.url}/a.csv`, every: 0, ...entry },
    { force: false, ...options },
  )
const codes = async () =>
  (await bench.sql`select asx_code from companies where is_active order by 1`).map(
    ({ asx_code }) => asx_code,
  )
const observed = async () =>
  (await bench.sql`select last_observed_at as at from sources where name = 'asx-directory'`)[0]?.at
const hours = (count: number) => {
  bench.clock.now = new Date(bench.clock.now.getTime() + count * 3_600_000)
}

const many = Array.from({ length: 40 }, (_, index) => `Q${index + 10}`)

const modified = { "Last-Modified": "Fri, 09 Jan 2026 08:00:00 GMT", ETag: '"1"' }
const modifiedAt = new Date("2026-01-09T08:00:00Z")
/** A server that knows the version of its file. */
const versioned = (content: string, headers: Record<string, string> = modified) =>
  bench.server.answer((asked) =>
    asked.headers["if-none-match"] === headers.ETag ? reply(304, {}) : reply(200, headers, content),
  )

test("a forced fetch loads its files, also unchanged ones", async () => {
  versioned(directory("QZA"))
  await fetched()
  await bench.sql`delete from companies`
  expect(await fetched({ force: true })).toMatchObject({ outcome: "published", reason: null })
  expect(await codes()).toEqual(["QZA"])
  expect(await fetched({ force: true })).toMatchObject({
    outcome: "unchanged",
    summary: { release: null },
  })
})

test("an unchanged file is loaded again with other options", async () => {
  versioned(directory("QZA", "QZB Banks"))
  await fetched()
  expect(await codes()).toEqual(["QZA"])
  hours(1)
  const wider = { entry: { all_sectors: true } }
  expect((await fetched(wider)).outcome).toBe("published")
  expect(await codes()).toEqual(["QZA", "QZB"])
  expect(await fetched(wider)).toMatchObject({ outcome: "unchanged", summary: null })
  // Fewer are missing; they go only after a time.
  expect(await fetched()).toMatchObject({ summary: { release: null } })
  for (const options of [{ entry: { partial: true } }, { absentAfterHours: 24 }]) {
    expect(await fetched(options)).toMatchObject({ summary: { release: null } })
    expect(await fetched(options)).toMatchObject({ outcome: "unchanged", summary: null })
  }
})

test("an unchanged file is loaded again where another source has changed the resource since", async () => {
  versioned(directory("QZA"))
  await fetched()
  await bench.load("subsidiaries", "id,name,parent_asx_code\ns1,Quarry West,QZA\n")
  expect(await fetched()).toMatchObject({ outcome: "unchanged", summary: null })
  await bench.load("companies", "asx_code,company_name,is_active\nQZC,Quarry,true\n")
  expect(await fetched()).toMatchObject({ outcome: "unchanged", summary: { release: null } })
  expect(await fetched()).toMatchObject({ outcome: "unchanged", summary: null })
})

test("files that are older than what was loaded by hand since are unchanged, and nothing is refused", async () => {
  versioned(directory("QZA"))
  await fetched()
  await bench.load("asx-directory", directory("QZA", "QZB"), { observed: "2026-01-10T12:00:00Z" })
  hours(24)
  const expected = {
    outcome: "unchanged",
    reason: "asx-directory has been loaded from newer files, of 2026-01-10T12:00:00Z",
    summary: null,
  }
  expect(await fetched()).toMatchObject(expected)
  expect(await bench.status()).toEqual({
    last_outcome: "unchanged",
    last_reason: null,
    last_observed_at: new Date("2026-01-10T12:00:00Z"),
  })
  expect(await codes()).toEqual(["QZA", "QZB"])
  // Also where it is forced, or fetched by a host that has not kept the file.
  expect(await fetched({ force: true })).toMatchObject(expected)
  rmSync(bench.dataDir, { recursive: true })
  expect(await fetched()).toMatchObject(expected)
  expect(await bench.releases()).toBe(2)
  // A version of its own later is loaded as ever.
  const later = { "Last-Modified": "Sun, 11 Jan 2026 08:00:00 GMT", ETag: '"2"' }
  hours(24)
  versioned(directory("QZA", "QZB", "QZC"), later)
  expect((await fetched()).outcome).toBe("published")
})

test("files that were never loaded, and are older than what was, are refused", async () => {
  await bench.load("asx-directory", directory("QZA", "QZB"), { observed: "2026-01-10T12:00:00Z" })
  versioned(directory("QZA"))
  hours(24)
  expect(await fetched()).toMatchObject({
    outcome: "refused",
    reason: expect.stringContaining("older values would replace newer ones"),
  })
})

test("a file that was refused is so until a newer one has been loaded by hand, and then is unchanged", async () => {
  versioned(directory(...many))
  await fetched()
  const later = { "Last-Modified": "Sat, 10 Jan 2026 08:00:00 GMT", ETag: '"2"' }
  versioned(directory(...many.slice(20)), later)
  hours(24)
  expect((await fetched()).outcome).toBe("refused")
  expect((await fetched()).outcome).toBe("refused")
  await bench.load("asx-directory", directory(...many, "QZZ"), { observed: "2026-01-10T12:00:00Z" })
  expect(await fetched()).toMatchObject({
    outcome: "unchanged",
    reason: "asx-directory has been loaded from newer files, of 2026-01-10T12:00:00Z",
  })
  expect(await codes()).toEqual([...many, "QZZ"])
})

test("a file that was loaded by hand for a later time is no older one", async () => {
  versioned(directory("QZA"))
  await fetched()
  await bench.load("asx-directory", directory("QZA"), { observed: "2026-01-10T12:00:00Z" })
  hours(24)
  expect(await fetched()).toMatchObject({ outcome: "unchanged", reason: null, summary: null })
  for (const options of [{ force: true }, { absentAfterHours: 24 }]) {
    expect(await fetched(options)).toMatchObject({
      outcome: "unchanged",
      summary: { release: null },
    })
  }
  expect(await observed()).toEqual(new Date("2026-01-10T12:00:00Z"))
})

test("a file that its server sends anew is true then, unless the server dates it", async () => {
  bench.server.answer(() => plain(directory("QZA")))
  await fetched()
  hours(24)
  expect(await fetched()).toMatchObject({ outcome: "unchanged" })
  expect(await observed()).toEqual(new Date("2026-01-11T00:00:00Z"))
  hours(24)
  bench.server.answer(() => reply(304, {}))
  await fetched()
  expect(await observed()).toEqual(new Date("2026-01-11T00:00:00Z"))
  // Dated now, to before: the same bytes say nothing newer.
  bench.server.answer(() => reply(200, modified, directory("QZA")))
  expect(await fetched()).toMatchObject({ outcome: "unchanged", reason: null, summary: null })
  expect(await observed()).toEqual(new Date("2026-01-11T00:00:00Z"))
})

test("a file that keeps its date is of that date, however often it is sent", async () => {
  bench.server.answer(() => reply(200, modified, directory("QZA")))
  for (let nth = 0; nth < 3; nth++) {
    await fetched()
    expect(await observed()).toEqual(modifiedAt)
    hours(24)
  }
})

test("what a file lacks goes once it was sent anew that late, and stays while it is only confirmed", async () => {
  const isActive = async () => (await codes()).length === 40
  for (const confirmed of [true, false]) {
    await bench.empty()
    rmSync(bench.dataDir, { recursive: true, force: true })
    bench.server.answer(() => plain(directory(...many)))
    await fetched()
    hours(1)
    const lacking = directory(...many.slice(1))
    bench.server.answer(({ headers }) =>
      confirmed && headers["if-none-match"]
        ? reply(304, {})
        : reply(200, { ETag: '"lacking"' }, lacking),
    )
    await fetched()
    hours(47)
    await fetched()
    expect(await isActive()).toBe(true)
    hours(1)
    await fetched()
    expect(await isActive()).toBe(confirmed)
  }
})

test("while a source is fetched it is as it was, and what came of a fetch is one change of it", async () => {
  await bench.sql.unsafe(`
    create table source_writes (by xid8 primary key);
    create function note_write() returns trigger language plpgsql as
      $$ begin insert into source_writes values (pg_current_xact_id()) on conflict do nothing; return null; end $$;
    create trigger note_write after insert or update on sources execute function note_write()`)
  const writes = async () =>
    (await bench.sql`with gone as (delete from source_writes returning 1) select from gone`).length
  let duringTransfer = 0
  bench.server.answer(async () => {
    duringTransfer += await writes()
    return reply(200, modified, directory("QZA"))
  })
  // One of the load, and one of where its files came from.
  expect([(await fetched()).outcome, await writes()]).toEqual(["published", 2])
  expect([(await fetched()).outcome, await writes()]).toEqual(["unchanged", 1])
  expect(duringTransfer).toBe(0)
  bench.server.answer(() => reply(404, {}))
  expect([(await fetched()).outcome, await writes()]).toEqual(["failed", 1])
  await bench.sql.unsafe(
    "drop trigger note_write on sources; drop function note_write; drop table source_writes",
  )
})
