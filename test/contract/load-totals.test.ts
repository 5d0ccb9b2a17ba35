/** The metrics tell how often each source was loaded, with what outcome and for how long. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runCommand } from "../commands/command-process.ts"
import {
  type MisbehavingServer,
  misbehavingServer,
  plain,
  reply,
} from "../fetching/misbehaving-server.ts"
import { type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"

let service: TestService
let server: MisbehavingServer
let directory: string

beforeAll(async () => {
  service = await testService()
  server = await misbehavingServer()
  directory = mkdtempSync(join(tmpdir(), "mds-load-totals-"))
  writeFileSync(
    join(directory, "sources.json"),
    JSON.stringify({
      "asx-directory": { kind: "file", url: `${server.url}/asx.csv`, allow_private: true },
    }),
  )
})

afterAll(async () => {
  await service.stop()
  server.close()
  rmSync(directory, { recursive: true })
})

const mds = (...args: string[]) =>
  runCommand(args, { url: service.database.url, dataDir: directory })

const outcomes = ["published", "unchanged", "refused", "failed"] as const
type Outcome = (typeof outcomes)[number]
type Totals = Record<Outcome, number>

/** What a scrape has of the source now that it reads the database again. */
async function totalsOf(source: string, resource: string) {
  service.clock.advance(60_000)
  const text = await (await fetch(`${service.url}/metrics`)).text()
  const seriesValue = (name: string, outcome: Outcome): number => {
    const series = `${name}{source="${source}",resource="${resource}",outcome="${outcome}"} `
    const [line, ...others] = text.split("\n").filter((each) => each.startsWith(series))
    expect([series, others]).toEqual([series, []])
    return Number(line?.slice(series.length))
  }
  const totals = (name: string) =>
    Object.fromEntries(outcomes.map((outcome) => [outcome, seriesValue(name, outcome)])) as Totals
  return {
    loads: totals("mds_source_loads_total"),
    seconds: totals("mds_source_load_seconds_total"),
  }
}

/** Runs a command, which adds one load of this outcome, and as much time as it took at most. */
async function expectOneMore(
  source: readonly [name: string, resource: string],
  outcome: Outcome,
  args: readonly string[],
  before: Awaited<ReturnType<typeof totalsOf>>,
) {
  const startedMs = performance.now()
  const { stdout, stderr } = await mds(...args)
  const wallSeconds = (performance.now() - startedMs) / 1000
  let after = before
  // A scrape does not wait long for the database.
  await until(async () => {
    after = await totalsOf(...source)
    return outcomes.some((each) => after.loads[each] > before.loads[each])
  })
  expect([stdout, stderr, after.loads]).toEqual([
    stdout,
    stderr,
    { ...before.loads, [outcome]: before.loads[outcome] + 1 },
  ])
  const seconds = after.seconds[outcome] - before.seconds[outcome]
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThan(wallSeconds)
  expect({ ...after.seconds, [outcome]: 0 }).toEqual({ ...before.seconds, [outcome]: 0 })
  return after
}

const zeros: Totals = { published: 0, unchanged: 0, refused: 0, failed: 0 }
const nothing = { loads: zeros, seconds: zeros }

test("each load is counted by its outcome, with its time, and a dry run is not", async () => {
  const source = ["subsidiaries", "subsidiaries"] as const
  const good = join(directory, "good.csv")
  const bad = join(directory, "bad.csv")
  writeFileSync(good, "id,name,parent_asx_code\nnew-1,Quarry West,BIG\n")
  writeFileSync(bad, "nothing,of,this\n1,2,3\n")
  const dryRun = ["load", "subsidiaries", good, "--dry-run"]
  expect((await mds(...dryRun)).code).toBe(0)
  let totals = await expectOneMore(source, "published", ["load", "subsidiaries", good], nothing)
  totals = await expectOneMore(source, "unchanged", ["load", "subsidiaries", good], totals)
  totals = await expectOneMore(source, "refused", ["load", "subsidiaries", bad], totals)
  totals = await expectOneMore(source, "refused", ["load", "subsidiaries", bad], totals)
  expect((await mds(...dryRun)).code).toBe(0)
  expect((await mds("load", "subsidiaries", bad, "--dry-run")).code).toBe(1)
  expect(await totalsOf(...source)).toEqual(totals)
}, 60_000)

test("each fetch is counted by its outcome, with its time, and one that is not due is not", async () => {
  const source = ["asx-directory", "companies"] as const
  const fetched = ["fetch", "asx-directory", "--force"]
  const companies = "ASX code,Company name,GICs industry group\nQZA,QUARRY LIMITED,Materials\n"
  server.answer(() => reply(404, {}))
  let totals = await expectOneMore(source, "failed", fetched, nothing)
  server.answer(() => plain(companies))
  totals = await expectOneMore(source, "published", fetched, totals)
  expect((await mds("fetch", "asx-directory")).stdout).toContain("not due")
  // Loaded again, because it is forced, and left alone, once it is due.
  totals = await expectOneMore(source, "unchanged", fetched, totals)
  await service.sql`update sources set last_fetched_at = null`
  await service.sql`delete from fetch_attempts`
  totals = await expectOneMore(source, "unchanged", ["fetch", "asx-directory"], totals)
  server.answer(() => plain("nothing,of,this\n1,2,3\n"))
  totals = await expectOneMore(source, "refused", fetched, totals)
  expect(await totalsOf(...source)).toEqual(totals)
}, 60_000)
