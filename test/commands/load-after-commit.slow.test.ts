/** Once its release is committed a load succeeds, whatever fails after that. */

import { beforeEach, expect, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import postgres from "postgres"
import { throughProxy } from "../contract/interruptible-proxy.ts"
import { holdLock } from "../support/held-locks.ts"
import { until } from "../support/until.ts"
import { startCommand } from "./command-process.ts"
import { commandWorkbench } from "./command-workbench.ts"
import { commitProxy } from "./commit-proxy.ts"

const bench = await commandWorkbench()
beforeEach(() => bench.empty())

const companies = "asx_code,company_name,is_active\nQZA,Alpha,true\n"
const held = `id,tenement_id,state,holder_name
t1,E 1,WA,Nobody Pty Ltd
t2,E 2,WA,Nobody Pty Ltd; Somebody
`
const withBadRow = `${held}t3,E 3,XX,Other\n`

/** A directory in which this user, who may be root, cannot create a file. */
function unwritableDirectory(): string {
  if (process.getuid?.() === 0) return "/proc"
  const directory = join(bench.directory, "unwritable")
  mkdirSync(directory)
  chmodSync(directory, 0o555)
  return directory
}

test("A load succeeds without a writable directory, and prints the first rejected rows", async () => {
  const file = bench.file("rows.csv", withBadRow)
  // No user can create a directory under a file.
  const nowhere = { cwd: unwritableDirectory(), dataDir: join(file, "data") }
  const first = await bench.run(["load", "tenements", file], nowhere)
  expect(first).toMatchObject({ code: 0 })
  expect(first.stdout).toContain("Published as release 1")
  expect(first.stdout).toContain("unlinked holders: 2")
  expect(first.stderr).toContain(`Cannot write rejected rows to ${join(file, "data", "rejects")}: `)
  expect(first.stderr).toContain("Rejected: rows.csv, line 4: state is not one of")
  expect(first.stderr).not.toMatch(/\n\s+at /)
  const again = await bench.load("tenements", [file])
  expect([again.release, await bench.releases()]).toEqual([null, 1])
})

test("A load writes a file only for rejected rows, under the data directory", async () => {
  const cwd = join(bench.directory, "empty")
  mkdirSync(cwd)
  const first = await bench.run(["load", "tenements", bench.file("rows.csv", held)], { cwd })
  expect(first).toMatchObject({ code: 0 })
  expect([readdirSync(cwd), existsSync(bench.dataDir)]).toEqual([[], false])
  const second = await bench.run(["load", "tenements", bench.file("rows.csv", withBadRow)], { cwd })
  expect(readdirSync(cwd)).toEqual([])
  const [name = "none"] = readdirSync(join(bench.dataDir, "rejects"))
  expect(second.stdout).toContain(`Rejected rows are in ${join(bench.dataDir, "rejects", name)}`)
})

test("Two loads at once both succeed, each with its own file of rejected rows", async () => {
  const rejectsDir = join(bench.directory, "two", "rejects")
  const file = bench.file("rows.csv", withBadRow)
  const load = () => bench.run(["load", "tenements", file, "--json", "--rejects-dir", rejectsDir])
  const ended = await Promise.all([load(), load()])
  expect(ended.map(({ code }) => code)).toEqual([0, 0])
  const summaries = ended.map(({ stdout }) => JSON.parse(stdout))
  expect(summaries.map(({ release }) => release).sort()).toEqual([1, null])
  expect(readdirSync(rejectsDir)).toHaveLength(2)
  expect(new Set(summaries.map(({ rejectsFile }) => rejectsFile)).size).toBe(2)
})

test("A load succeeds although its summary cannot be written", async () => {
  const file = bench.file("companies.csv", companies)
  const first = await bench.runUnread(["load", "companies", file])
  expect(first).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/EPIPE|\n\s+at /) })
  expect(await bench.releases()).toBe(1)
  const other = bench.file("companies.csv", companies.replace("Alpha", "Beta"))
  const second = await bench.runOnFullDisk(["load", "companies", other])
  expect(second.code).toBe(0)
  expect(second.stderr).toContain("Cannot write to standard output: no space left")
  expect(second.stderr).not.toMatch(/\n\s+at /)
  expect(await bench.releases()).toBe(2)
})

test("A load killed right after its commit is published, and repeating it publishes nothing", async () => {
  const reports = Array.from({ length: 10_000 }, (_, n) => `h${n},QZA,T,2026-01-02T03:04:05Z`)
  const file = bench.file(
    "reports.csv",
    ["hash,asx_code,title,published_at", ...reports, ""].join("\n"),
  )
  // Vacuuming, the last step of a large load, needs this lock.
  await using held = await holdLock(bench.sql, "lock table reports in share update exclusive mode")
  const load = startCommand(["load", "reports", file], bench.options())
  await until(held.isAwaited)
  load.child.kill("SIGKILL")
  const killed = await load.ended()
  expect(killed.stdout).toContain("Published as release 1")
  await held.release()
  expect((await bench.load("reports", [file])).release).toBeNull()
  expect(await bench.releases()).toBe(1)
})

test.each([
  ["lost", 0],
  ["unanswered", 1],
] as const)(
  "A COMMIT that is %s leaves the outcome unknown, and the message says how to find out",
  async (fate, published) => {
    const proxy = await commitProxy(bench.url, fate)
    const file = bench.file("companies.csv", companies)
    const first = await bench.run(["load", "companies", file], { url: proxy.url })
    proxy.close()
    expect(first).toMatchObject({ code: 1, stdout: "" })
    expect(first.stderr).toContain("not known whether the release was published")
    expect(first.stderr).toContain("Run the same command again")
    expect(first.stderr).not.toMatch(/\n\s+at /)
    await until(async () => (await bench.releases()) === published)
    const again = await bench.load("companies", [file])
    expect(again.release).toBe(published === 1 ? null : 1)
    expect(await bench.releases()).toBe(1)
  },
)

/** A serving process that does not confirm anything. */
async function unresponsiveProcess() {
  const sql = postgres(bench.url, {
    max: 1,
    connection: { application_name: "mds notifications" },
  })
  await sql`select 1`
  return sql
}

test("A load succeeds, and reports services that did not confirm the release", async () => {
  const unresponsive = await unresponsiveProcess()
  const file = bench.file("companies.csv", companies)
  const first = await bench.run(["load", "companies", file, "--json"])
  expect(first).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(
      "1 serving process has not confirmed the change; it takes effect there within 30 seconds\n",
    ),
  })
  expect(JSON.parse(first.stdout)).toMatchObject({ release: 1, unconfirmed: 1 })
  // Without a release there is nothing to confirm.
  const second = await bench.load("companies", [file])
  expect(second).toMatchObject({ release: null, unconfirmed: 0 })
  await unresponsive.end()
})

test("A signal ends the wait for confirmations after the release is published", async () => {
  const unresponsive = await unresponsiveProcess()
  const load = startCommand(
    ["load", "companies", bench.file("companies.csv", companies)],
    bench.options(),
  )
  // The statement that counts the processes to wait for. Its text is in two parts so that this one is not found.
  const isCounting = async () =>
    (
      await bench.sql`select from pg_stat_activity where datname = current_database()
        and query like '%select pid::text from pg_' || 'stat_activity%'`
    ).length > 0
  await until(isCounting)
  load.child.kill("SIGTERM")
  const { code, stderr } = await load.ended()
  expect([code, await bench.releases()]).toEqual([0, 1])
  expect(stderr).toEndWith("Interrupted: the release was published\n")
  await unresponsive.end()
})

test("A connection lost after the commit is reported, and the release is published", async () => {
  using proxy = await throughProxy(bench.url)
  const summary = await bench.load("companies", companies, {
    url: proxy.url,
    onPublished: proxy.cut,
  })
  expect(summary).toMatchObject({ release: 1, unconfirmed: undefined })
  expect(await bench.releases()).toBe(1)
})
