/** A fetch whose lock is lost ends before it is reported, and what it has published is no failure. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { locks } from "../../src/db/advisory-locks.ts"
import { withAddresses } from "../../src/fetching/fetch-address.ts"
import { LoadError } from "../../src/loading/load-error.ts"
import { silent } from "../../src/loading/progress.ts"
import { asxDirectory } from "../../src/sources/asx-directory.ts"
import { until } from "../support/until.ts"
import { testLimits } from "./access.ts"
import { type FetchBench, fetchBench } from "./fetch-bench.ts"
import { plain } from "./misbehaving-server.ts"

let bench: FetchBench
beforeAll(async () => {
  bench = await fetchBench()
})
beforeEach(async () => {
  await bench.empty()
  rmSync(bench.dataDir, { recursive: true, force: true })
})
afterAll(() => bench.close())

const directory = "ASX code,Company name,GICs industry group\nQZA,QUARRY LIMITED,Materials\n"
const lost =
  "Cannot go on fetching asx-directory: the database connection that keeps other processes from it was lost"
const fetched = () =>
  bench.fetch("asx-directory", { kind: "file", url: `${bench.server.url}/a.csv` })
/** Of fetches, which have two keys. */
const loseLock = async () => {
  const ended = await bench.sql`
    select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and granted and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())`
  expect(ended).toHaveLength(1)
}
/** A server that begins to send and never ends. */
function neverEnding() {
  const reached = Promise.withResolvers<void>()
  bench.server.answer(() => {
    reached.resolve()
    const head = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
    return { pieces: [head], repeat: { piece: "a", everyMs: 5 } }
  })
  return reached.promise
}

test("a download whose lock is lost has ended when it is reported, and nothing is written of it", async () => {
  const reached = neverEnding()
  const fetching = fetched()
  await reached
  await until(() => bench.rawFiles("asx-directory").length > 0)
  await loseLock()
  expect(await fetching).toMatchObject({ outcome: "failed", reason: lost })
  expect(bench.rawFiles("asx-directory")).toEqual([])
  expect(await bench.status()).toBeUndefined()
})

test("a load that has begun when the lock is lost is awaited, and reported as what it is", async () => {
  bench.server.answer(() => plain(directory))
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const holding = bench.sql.begin(async (sql) => {
    await sql`select pg_advisory_xact_lock(${locks.publishing})`
    held.resolve()
    await released.promise
  })
  await held.promise
  const fetching = fetched()
  const waiting = () =>
    bench.sql`select from pg_locks where locktype = 'advisory' and not granted and database =
      (select oid from pg_database where datname = current_database())`
  await until(async () => (await waiting()).length === 1)
  await loseLock()
  released.resolve()
  await holding
  expect(await fetching).toMatchObject({ outcome: "published" })
  expect(await bench.status()).toMatchObject({ last_outcome: "published" })
})

const addressOptions = () => ({
  databaseUrl: bench.url,
  dataDir: bench.dataDir,
  rawFiles: 30,
  source: asxDirectory,
  userAgent: async () => "mds/test",
  allowPrivate: true,
  notesAddress: false,
  limits: testLimits,
  progress: silent,
  clock: async () => () => bench.clock.now,
})

test("an address whose lock is lost while it is downloaded is not loaded", async () => {
  const reached = neverEnding()
  let loads = 0
  const loading = withAddresses([`${bench.server.url}/a.csv`], addressOptions(), async () => {
    loads++
  }).catch((error: unknown) => error)
  await reached
  await until(() => bench.rawFiles("asx-directory").length > 0)
  await loseLock()
  expect(await loading).toBeInstanceOf(LoadError)
  expect(await loading).toMatchObject({ message: lost })
  expect(bench.rawFiles("asx-directory")).toEqual([])
  expect(loads).toBe(0)
})

test("a load of an address that has begun when the lock is lost is not reported as lost", async () => {
  bench.server.answer(() => plain(directory))
  const load = async () => {
    await loseLock()
    await until(async () => (await bench.sql`select from pg_locks where objsubid = 2`).length === 0)
    return "published"
  }
  const url = `${bench.server.url}/a.csv`
  expect(await withAddresses([url], addressOptions(), load)).toBe("published")
})
