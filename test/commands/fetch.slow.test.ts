/** `mds fetch` downloads and loads what the operator's file lists, one process at a time. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { appendFileSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { locks } from "../../src/db/advisory-locks.ts"
import {
  type MisbehavingServer,
  misbehavingServer,
  plain,
  reply,
} from "../fetching/misbehaving-server.ts"
import { until } from "../support/until.ts"
import { startCommand } from "./command-process.ts"
import { type CommandWorkbench, commandWorkbench } from "./command-workbench.ts"

const program = Bun.fileURLToPath(new URL("../..", import.meta.url))

let bench: CommandWorkbench
let server: MisbehavingServer
beforeAll(async () => {
  bench = await commandWorkbench()
  server = await misbehavingServer()
})
beforeEach(async () => {
  await bench.empty()
  rmSync(bench.dataDir, { recursive: true, force: true })
  mkdirSync(bench.dataDir)
  writeFileSync(join(bench.dataDir, "sources.json"), JSON.stringify(entries()))
})
afterAll(async () => {
  server.close()
  await bench.close()
})

const entries = () => ({
  "asx-directory": { kind: "file", url: `${server.url}/asx.csv`, allow_private: true },
  subsidiaries: { kind: "file", url: `${server.url}/sub.csv`, allow_private: true },
})
const directory = "ASX code,Company name,GICs industry group\nQZA,QUARRY LIMITED,Materials\n"
const subsidiaries = "id,name,parent_asx_code\ns1,Quarry West,QZA\n"
const whole = ({ target }: { target: string }) =>
  plain(target === "/asx.csv" ? directory : subsidiaries)

test("every source of the file is fetched, and a failure of one does not stop the others", async () => {
  server.answer((asked) => (asked.target === "/asx.csv" ? reply(404, {}) : whole(asked)))
  const { stdout, code } = await bench.run(["fetch"])
  expect(stdout).toContain("asx-directory: failed: Cannot fetch ")
  expect(stdout).toContain("subsidiaries: published")
  expect(stdout).toContain("Published as release 1")
  expect(stdout).toMatch(/Fetched as \S+\/raw\/subsidiaries\/\d{8}T\d{6}Z-[0-9a-f]{64}\.csv/)
  expect(code).toBe(1)
  const { stdout: list } = await bench.run(["sources", "list"])
  expect(list).toContain("failed: Cannot fetch ")
}, 30_000)

test("a source that is not due is left alone, by name too, unless it is forced", async () => {
  server.answer(whole)
  const json = async (...args: string[]) =>
    (await bench.run(["fetch", "--json", ...args])).stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).outcome)
  expect(await json()).toEqual(["published", "published"])
  expect(await json("asx-directory")).toEqual(["not due"])
  expect(await json("asx-directory", "--force")).toEqual(["unchanged"])
  expect(server.asked[0]?.headers["user-agent"]).toMatch(/^mds\/\d+\.\d+\.\d+$/)
}, 30_000)

test("a source that is not in the file, or no file, is an error that says so", async () => {
  expect((await bench.run(["fetch", "wa"])).stderr).toContain(
    "sources.json has no such source (it has: asx-directory, subsidiaries)",
  )
  const { stderr, code } = await bench.run(["fetch"], {
    variables: { SOURCES_FILE: join(bench.dataDir, "none.json") },
  })
  expect(stderr).toContain("none.json: no such file. It lists the addresses to fetch")
  expect(code).toBe(1)
}, 30_000)

/** The server of the database releases the lock of a killed process as soon as it notices. */
async function outcomeOnceFree(...args: string[]): Promise<string> {
  let outcome = "busy"
  await until(async () => {
    outcome = JSON.parse((await bench.run(["fetch", "--json", ...args])).stdout).outcome
    return outcome !== "busy"
  })
  return outcome
}

/** Commands that load wait until it is released. */
async function holdLoads() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const holding = bench.sql.begin(async (sql) => {
    await sql`select pg_advisory_xact_lock(${locks.publishing})`
    held.resolve()
    await released
  })
  await held.promise
  return async () => {
    release()
    await holding
  }
}
const waiting = "Waiting for another load to end"

test("a command that is killed during a load publishes nothing, and the next one loads the kept file", async () => {
  server.answer(({ headers }) =>
    headers["if-none-match"] ? reply(304, {}) : reply(200, { ETag: '"1"' }, directory),
  )
  const release = await holdLoads()
  const killed = startCommand(["fetch", "asx-directory"], bench.options())
  await killed.waitForStderr(waiting)
  killed.child.kill("SIGKILL")
  await killed.child.exited
  await release()
  expect(await bench.releases()).toBe(0)
  expect(await outcomeOnceFree("asx-directory")).toBe("published")
  expect(server.asked.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"1"'])
}, 60_000)

test("an error that nobody expected ends the fetch of its source alone, and is noted", async () => {
  server.answer(whole)
  await bench.sql.unsafe(`
    create function break() returns trigger language plpgsql as
      $$ begin raise exception 'a disk is full'; end $$;
    create trigger break before insert on companies for each row execute function break()`)
  const ended = await bench.run(["fetch"])
  const { stderr } = await bench.run(["--debug", "fetch", "asx-directory", "--force"])
  expect(stderr).toMatch(/PostgresError: a disk is full\n +at /)
  await bench.sql.unsafe("drop trigger break on companies; drop function break")
  expect(ended.stdout).toContain("asx-directory: failed: Failed: a disk is full")
  expect(ended.stdout).toContain("subsidiaries: published")
  expect(ended.code).toBe(1)
  const [source] = await bench.sql`
    select last_outcome as outcome, last_reason as reason from sources where name = 'asx-directory'`
  expect({ ...source }).toEqual({
    outcome: "failed",
    reason: "Failed: a disk is full (add --debug for the stack trace)",
  })
}, 30_000)

test("a connection that is lost during a load ends the fetch of its source alone", async () => {
  server.answer(whole)
  const release = await holdLoads()
  const fetching = startCommand(["fetch"], bench.options())
  await fetching.waitForStderr(waiting)
  await bench.sql`
    select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and not granted`
  await release()
  const { stdout, code } = await fetching.ended()
  expect(stdout).toMatch(/^asx-directory: failed: the connection to the database was lost \(/)
  expect(stdout).toContain("subsidiaries: published")
  expect(code).toBe(1)
}, 30_000)

test("a file that has not changed is loaded again by another version of the program", async () => {
  server.answer(({ headers }) =>
    headers["if-none-match"] ? reply(304, {}) : reply(200, { ETag: '"1"' }, directory),
  )
  writeFileSync(
    join(bench.dataDir, "sources.json"),
    JSON.stringify({ "asx-directory": { ...entries()["asx-directory"], every: 0 } }),
  )
  const changed = join(bench.directory, "program")
  mkdirSync(changed)
  for (const part of ["src", "drizzle", "package.json", "tsconfig.json"]) {
    cpSync(join(program, part), join(changed, part), { recursive: true })
  }
  symlinkSync(join(program, "node_modules"), join(changed, "node_modules"))
  // What makes no difference to a load.
  const unrelated = join(bench.directory, "unrelated")
  cpSync(changed, unrelated, { recursive: true, verbatimSymlinks: true })
  appendFileSync(join(unrelated, "src/pages/pages.ts"), "\n// Shows the same in another way.\n")
  appendFileSync(
    join(changed, "src/sources/asx-directory.ts"),
    "\n// Reads the same file in another way.\n",
  )
  const fetched = async (main?: string) =>
    JSON.parse((await bench.run(["fetch", "--json"], main ? { main } : {})).stdout)
  const other = join(changed, "src/main.ts")
  expect(await fetched()).toMatchObject({ outcome: "published" })
  expect(await fetched()).toMatchObject({ outcome: "unchanged", summary: null })
  expect(await fetched(join(unrelated, "src/main.ts"))).toMatchObject({ summary: null })
  expect(await fetched(other)).toMatchObject({ outcome: "unchanged", summary: { release: null } })
  expect(await fetched(other)).toMatchObject({ outcome: "unchanged", summary: null })
}, 60_000)

test("a host whose clock is wrong keeps no other from fetching, and dates no file by it", async () => {
  server.answer(whole)
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
  await bench.run(["load", "subsidiaries", `${server.url}/sub.csv`, "--allow-private"], ahead)
  const times = await bench.sql`
    select name, greatest(attempted_at, last_fetched_at, last_observed_at) > now() as "isAhead"
    from sources left join fetch_attempts on source = name order by name`
  expect(times.map((row) => ({ ...row }))).toEqual([
    { name: "asx-directory", isAhead: false },
    { name: "subsidiaries", isAhead: false },
  ])
}, 30_000)

test("an address is loaded in place of a file, under the same rules", async () => {
  const modified = { "Last-Modified": "Fri, 09 Jan 2026 08:00:00 GMT" }
  server.answer((asked) =>
    asked.target === "/asx.csv?key=secret" ? reply(200, modified, directory) : reply(404, {}),
  )
  const address = `${server.url}/asx.csv?key=secret`
  const refused = await bench.run(["load", "asx-directory", address])
  expect(refused.stderr).toContain("is an address of a private network or of this machine")
  const load = (...args: string[]) =>
    bench.run(["load", "asx-directory", "--allow-private", "--json", ...args])
  const loaded = JSON.parse((await load(address)).stdout)
  expect(loaded).toMatchObject({ release: 1, observed: "2026-01-09T08:00:00Z" })
  expect(loaded.files[0].name).toMatch(/^\d{8}T\d{6}Z-[0-9a-f]{64}\.csv$/)
  // A private address is of no use to others; and the fetches of the source stay as they are.
  const [row] = await bench.sql`select address, last_fetched_at as "fetchedAt" from sources`
  expect({ ...row }).toEqual({ address: null, fetchedAt: null })
  server.answer(({ target }) => (target.startsWith("/none") ? reply(404, {}) : plain(directory)))
  await load("--dry-run", `${server.url}/other.csv`)
  expect(await bench.releases()).toBe(1)
  const missing = await load(`${server.url}/none.csv`)
  expect([missing.code, missing.stderr]).toEqual([
    1,
    `Fetching ${server.url}/none.csv …\nCannot fetch ${server.url}/none.csv: it answers 404\n`,
  ])
}, 30_000)

test("a release leads to the raw file that it was loaded from, which can be loaded again", async () => {
  server.answer(whole)
  await bench.run(["fetch", "asx-directory"])
  const shown = await bench.run(["releases", "show", "1"])
  expect(shown.stdout).toContain("source: asx-directory, of files that were true at 20")
  const kept = /SHA-256 ([0-9a-f]{64}), kept as (\S+)/.exec(shown.stdout)
  expect(kept?.[2]).toContain(kept?.[1] ?? "nothing")
  expect((await bench.run(["load", "asx-directory", kept?.[2] ?? ""])).stdout).toContain(
    "nothing was published",
  )
  rmSync(kept?.[2] ?? "")
  const json = JSON.parse((await bench.run(["releases", "show", "1", "--json"])).stdout)
  expect(json.files).toEqual([{ name: expect.any(String), sha256: kept?.[1], kept: null }])
  expect((await bench.run(["releases", "show", "7"])).stderr).toBe("There is no release 7\n")
}, 30_000)
