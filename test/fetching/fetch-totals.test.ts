/** Each fetch is counted once, with the time from its first request on. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { withAddresses } from "../../src/fetching/fetch-address.ts"
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

const directory = "ASX code,Company name,GICs industry group\nQZA,QUARRY LIMITED,Materials\n"
const fetched = (options?: Parameters<FetchBench["fetch"]>[2]) =>
  bench.fetch("asx-directory", { kind: "file", url: `${bench.server.url}/a.csv` }, options)

/** Its loads and seconds by outcome. */
const totals = async () => {
  const rows = await bench.sql<{ outcome: string; loads: number; seconds: number }[]>`
    select outcome, loads::integer as loads, seconds from load_totals order by outcome`
  return rows.map(({ outcome, loads, seconds }) => ({ outcome, loads, seconds }))
}
const loads = async () => (await totals()).map(({ outcome, loads }) => `${outcome} ${loads}`)

/** After a request. */
const lateMs = 50
const late = async <T>(answer: T): Promise<T> => {
  await Bun.sleep(lateMs)
  return answer
}

test("the time that a server takes counts, whatever comes of the fetch", async () => {
  bench.server.answer(() => late(reply(404, {})))
  await fetched()
  bench.server.answer(() => late(plain(directory)))
  await fetched()
  bench.clock.now = new Date("2026-01-12T00:00:00Z")
  await fetched({ force: false })
  bench.server.answer(() => late(plain("nothing,of,this\n1,2,3\n")))
  await fetched()
  expect(await loads()).toEqual(["failed 1", "published 1", "refused 1", "unchanged 1"])
  for (const { seconds } of await totals()) expect(seconds).toBeGreaterThan((0.9 * lateMs) / 1000)
})

test("so does that of an address which is loaded by hand", async () => {
  bench.server.answer(() => late(plain(directory)))
  const options = bench.addressOptions()
  await withAddresses([`${bench.server.url}/a.csv`], options, ({ files, ...given }) =>
    bench.load("asx-directory", files, given),
  )
  expect(await loads()).toEqual(["published 1"])
  expect((await totals())[0]?.seconds).toBeGreaterThan((0.9 * lateMs) / 1000)
})
