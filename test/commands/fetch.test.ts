/** `mds fetch` downloads and loads what the operator's file lists, one process at a time. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  type MisbehavingServer,
  misbehavingServer,
  plain,
  reply,
} from "../fetching/misbehaving-server.ts"
import { startCommand } from "./command-process.ts"
import { type CommandWorkbench, commandWorkbench } from "./command-workbench.ts"

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
  expect(list).toContain("refused: Cannot fetch ")
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

test("of two commands at once, one fetches the source and the other says that it does", async () => {
  const reached = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  server.answer(async (asked) => {
    reached.resolve()
    await held.promise
    return whole(asked)
  })
  const first = startCommand(["fetch", "asx-directory"], bench.options())
  await reached.promise
  const second = await bench.run(["fetch", "asx-directory"])
  expect(second).toMatchObject({
    code: 0,
    stdout: "asx-directory: busy: another process is fetching it\n",
  })
  held.resolve()
  expect((await first.ended()).stdout).toContain("asx-directory: published")
}, 30_000)

test("a command that is killed in the middle leaves nothing, and the next one succeeds", async () => {
  const reached = Promise.withResolvers<void>()
  server.answer(() => {
    reached.resolve()
    const start = `HTTP/1.1 200 OK\r\nContent-Length: ${directory.length}\r\n\r\n`
    return { pieces: [start, directory.slice(0, 20)], keepOpen: true }
  })
  const killed = startCommand(["fetch", "asx-directory"], bench.options())
  await reached.promise
  killed.child.kill("SIGKILL")
  await killed.child.exited
  server.answer(whole)
  // The server of the database releases the lock as soon as it notices.
  let outcome = "busy"
  while (outcome === "busy") {
    const { stdout } = await bench.run(["fetch", "asx-directory", "--force", "--json"])
    outcome = JSON.parse(stdout).outcome
  }
  expect(outcome).toBe("published")
}, 60_000)

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
