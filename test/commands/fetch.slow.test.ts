/** `mds fetch` downloads and loads what the operator's file lists, one process at a time. */
import { beforeEach, expect, test } from "bun:test"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { plain, reply } from "../ingest/fetching/misbehaving-server.ts"
import { until } from "../support/until.ts"
import { startCommand } from "./command-process.ts"
import { directory, fetchWorkbench } from "./fetch-workbench.ts"

const bench = await fetchWorkbench()
beforeEach(async () => {
  await bench.reset()
  bench.writeSources({
    "asx-directory": bench.entry("/asx.csv"),
    subsidiaries: bench.entry("/sub.csv"),
  })
})

const subsidiaries = "id,name,parent_asx_code\ns1,Quarry West,QZA\n"
const whole = ({ target }: { target: string }) =>
  plain(target === "/asx.csv" ? directory : subsidiaries)
const fetched = async (...args: string[]) =>
  (await bench.run(["fetch", "--json", ...args])).stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).outcome)

test("Every source of the file is fetched, and a failure of one does not stop the others", async () => {
  bench.server.respond((request) =>
    request.target === "/asx.csv" ? reply(404, {}) : whole(request),
  )
  const { stdout, code } = await bench.run(["fetch"])
  expect(stdout).toContain("asx-directory: failed: Cannot fetch ")
  expect(stdout).toContain("subsidiaries: published")
  expect(stdout).toContain("Published as release 1")
  expect(stdout).toMatch(/Fetched as \S+\/raw\/subsidiaries\/\d{8}T\d{6}Z-[0-9a-f]{64}\.csv/)
  expect(code).toBe(1)
  expect(bench.server.requests[0]?.headers["user-agent"]).toMatch(/^mds\/\d+\.\d+\.\d+$/)
  bench.server.respond(whole)
  expect(await fetched("subsidiaries")).toEqual(["not due"])
  expect(await fetched("--force")).toEqual(["published", "unchanged"])
})

test("The error for an unknown source names the sources of the file", async () => {
  const { stderr, code } = await bench.run(["fetch", "wa"])
  expect(stderr).toContain("sources.json has no such source (it has: asx-directory, subsidiaries)")
  expect(code).toBe(1)
})

test("A fetch without sources names the empty file", async () => {
  bench.writeSources({})
  const { stdout, stderr, code } = await bench.run(["fetch"])
  expect([stdout, code]).toEqual(["", 0])
  expect(stderr).toEndWith("sources.json lists no sources\n")
})

const waiting = "Waiting for another load to end"

test("A fetch killed during its load publishes nothing, and the next fetch loads the kept file", async () => {
  bench.server.respond(({ headers }) =>
    headers["if-none-match"] ? reply(304, {}) : reply(200, { ETag: '"1"' }, directory),
  )
  await using held = await bench.holdLoads()
  const killed = startCommand(["fetch", "asx-directory"], bench.options())
  await killed.waitForStderr(waiting)
  killed.child.kill("SIGKILL")
  await killed.child.exited
  await held.release()
  expect(await bench.releases()).toBe(0)
  // The database releases the lock of a killed process as soon as it notices.
  let outcomes: string[] = []
  await until(async () => {
    outcomes = await fetched("asx-directory")
    return !outcomes.includes("busy")
  })
  expect(outcomes).toEqual(["published"])
  expect(bench.server.requests.map(({ headers }) => headers["if-none-match"])).toEqual([
    undefined,
    '"1"',
  ])
})

test("An unexpected error ends only the fetch of its source, is recorded, and has one stack trace with --debug", async () => {
  bench.server.respond(whole)
  await bench.sql.unsafe(`
    create function break() returns trigger language plpgsql as
      $$ begin raise exception 'a disk is full'; end $$;
    create trigger break before insert on companies for each row execute function break()`)
  const ended = await bench.run(["fetch", "--debug"])
  await bench.sql.unsafe("drop trigger break on companies; drop function break")
  expect(ended.stdout).toContain("asx-directory: failed: Failed: a disk is full")
  expect(ended.stdout).toContain("subsidiaries: published")
  expect(ended.stderr.match(/PostgresError: a disk is full/g)).toHaveLength(1)
  expect(ended.code).toBe(1)
  const [source] = await bench.sql`
    select last_outcome as outcome, last_reason as reason from sources where name = 'asx-directory'`
  expect({ ...source }).toEqual({
    outcome: "failed",
    reason: "Failed: a disk is full (add --debug for the stack trace)",
  })
})

test("A host with a wrong clock neither blocks other hosts nor dates files", async () => {
  bench.server.respond(whole)
  const skew = join(bench.directory, "skew.ts")
  writeFileSync(
    skew,
    `const RealDate = Date
     globalThis.Date = class extends RealDate {
       constructor(...given) {
         super(...(given.length > 0 ? given : [RealDate.now() + 2 * 86_400_000]))
       }
       static now() { return RealDate.now() + 2 * 86_400_000 }
     }`,
  )
  const ahead = { variables: { BUN_OPTIONS: `--preload ${skew}` } }
  const { stdout } = await bench.run(["fetch", "asx-directory"], ahead)
  expect(stdout).toContain("asx-directory: published")
  await bench.run(["load", "subsidiaries", `${bench.server.url}/sub.csv`], ahead)
  const times = await bench.sql`
    select name, greatest(last_attempted_at, last_fetched_at, last_observed_at) > now() as "isAhead"
    from sources order by name`
  expect(times.map((row) => ({ ...row }))).toEqual([
    { name: "asx-directory", isAhead: false },
    { name: "subsidiaries", isAhead: false },
  ])
})

test("An address loads under the same rules as a file", async () => {
  const modified = { "Last-Modified": "Fri, 09 Jan 2026 08:00:00 GMT" }
  bench.server.respond((request) =>
    request.target === "/asx.csv?key=secret" ? reply(200, modified, directory) : reply(404, {}),
  )
  const address = `${bench.server.url}/asx.csv?key=secret`
  const load = (...args: string[]) => bench.run(["load", "asx-directory", "--json", ...args])
  const loaded = JSON.parse((await load(address)).stdout)
  expect(loaded).toMatchObject({ release: 1, observed: "2026-01-09T08:00:00Z" })
  expect(loaded.files[0].name).toMatch(/^\d{8}T\d{6}Z-[0-9a-f]{64}\.csv$/)
  // A private address is of no use to others; and the fetches of the source stay as they are.
  const [row] = await bench.sql`select address, last_fetched_at as "fetchedAt" from sources`
  expect({ ...row }).toEqual({ address: null, fetchedAt: null })
  bench.server.respond(({ target }) =>
    target.startsWith("/none") ? reply(404, {}) : plain(directory),
  )
  const missing = await load(`${bench.server.url}/none.csv`)
  expect([missing.code, missing.stderr]).toEqual([
    1,
    `Fetching ${bench.server.url}/none.csv …\nCannot fetch ${bench.server.url}/none.csv: it returned 404. Check the address\n`,
  ])
})

test("Fetches use the proxy of the environment, except for the hosts of NO_PROXY", async () => {
  const targets: string[] = []
  bench.server.respond(({ target }) => {
    targets.push(target)
    return plain(directory)
  })
  const variables = { HTTP_PROXY: bench.server.url, NO_PROXY: "127.0.0.1" }
  const load = (url: string) => bench.run(["load", "asx-directory", url], { variables })
  const proxied = await load("http://register.invalid/asx.csv")
  const direct = await load(`${bench.server.url}/direct.csv`)
  expect([proxied.code, direct.code]).toEqual([0, 0])
  expect(targets).toEqual(["http://register.invalid/asx.csv", "/direct.csv"])
})

test("A release names its raw file, which can be loaded again", async () => {
  bench.server.respond(whole)
  await bench.run(["fetch", "asx-directory"])
  const shown = await bench.run(["releases", "show", "1"])
  expect(shown.stdout).toMatch(/^release +published at +source +data as of\n1 .* asx-directory +20/)
  const kept = /([0-9a-f]{64}) +(\S+)\n$/.exec(shown.stdout)
  expect(kept?.[2]).toContain(kept?.[1] ?? "nothing")
  expect((await bench.load("asx-directory", [kept?.[2] ?? ""])).release).toBeNull()
  rmSync(kept?.[2] ?? "")
  const json = JSON.parse((await bench.run(["releases", "show", "1", "--json"])).stdout)
  expect(json.files).toEqual([{ name: expect.any(String), sha256: kept?.[1], kept: null }])
})
