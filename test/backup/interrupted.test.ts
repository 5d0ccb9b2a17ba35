/** However a backup or a restore is ended, there is no half file and no half database. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { readdirSync, utimesSync, writeFileSync } from "node:fs"
import postgres from "postgres"
import { startCommand } from "../commands/command-process.ts"
import { awkward } from "../support/fixtures.ts"
import { type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { commandsIn, contentsOf, schemaOf } from "./databases.ts"

setDefaultTimeout(60_000)

let service: TestService
let url: string
/** A session that holds locks. */
let other: postgres.Sql
const { directory, path, mds, remove } = commandsIn()

beforeAll(async () => {
  service = await testService()
  url = service.database.url
  other = postgres(url, { max: 1, onnotice: () => {} })
})

afterAll(async () => {
  await other.end({ timeout: 1 })
  await service.stop()
  remove()
})

const start = (...args: string[]) => startCommand(args, { url, dataDir: path("data") })

/** Runs `work` while another session holds a lock on the table. */
const whileLocked = (table: string, mode: string, work: () => Promise<void>) =>
  other.begin(async (sql) => {
    await sql.unsafe(`lock table ${table} in ${mode} mode`)
    await work()
  })

const waiting = async (): Promise<boolean> =>
  (
    await service.sql`select from pg_locks where not granted
    and database = (select oid from pg_database where datname = current_database())`
  ).length > 0

test.each([
  ["SIGTERM", 143, "Interrupted: no backup was written\n"],
  ["SIGINT", 130, "Interrupted: no backup was written\n"],
  ["SIGKILL", 137, ""],
] as const)(
  "a backup that is ended by %s leaves no file of that name",
  async (signal, code, stderr) => {
    const file = `${signal}.dump`
    await whileLocked("usage_hours", "access exclusive", async () => {
      const { child, ended } = start("backup", path(file))
      await until(waiting)
      child.kill(signal)
      expect(await ended()).toEqual({ code, stdout: "", stderr })
    })
    const left = readdirSync(directory).filter((name) => name.startsWith(file))
    expect(left).toHaveLength(signal === "SIGKILL" ? 1 : 0)
    expect(left).not.toContain(file)
    // What a killed process left is deleted by a later backup, but not what another one may be writing.
    writeFileSync(path(`${file}.unfinished-another`), "")
    for (const name of left) utimesSync(path(name), new Date(0), new Date(0))
    expect((await mds(url, ["backup", path(file)])).code).toBe(0)
    expect(
      readdirSync(directory)
        .filter((name) => name.startsWith(file))
        .sort(),
    ).toEqual([file, `${file}.unfinished-another`])
  },
)

test("a backup that fails leaves what was there before", async () => {
  writeFileSync(path("kept.dump"), "before")
  await whileLocked("usage_hours", "access exclusive", async () => {
    const { ended } = start("backup", "--force", path("kept.dump"))
    await until(waiting)
    await service.sql`select pg_terminate_backend(pid) from pg_locks where not granted
      and database = (select oid from pg_database where datname = current_database())`
    expect((await ended()).code).toBe(1)
  })
  expect(await Bun.file(path("kept.dump")).text()).toBe("before")
  expect(readdirSync(directory).filter((name) => name.startsWith("kept"))).toEqual(["kept.dump"])
})

test.each(["SIGTERM", "SIGKILL"] as const)(
  "a restore that is ended by %s changes nothing, and can be repeated",
  async (signal) => {
    expect((await mds(url, ["backup", "--force", path("restored.dump")])).code).toBe(0)
    const backedUp = await contentsOf(url)
    await service.publish({ ...awkward, reports: [] })
    const [before, schema] = [await contentsOf(url), await schemaOf(url)]
    // As a long export does.
    await whileLocked("releases", "access share", async () => {
      const { child, ended, waitForStderr } = start("restore", "--replace", path("restored.dump"))
      await waitForStderr("Replacing the tables")
      await until(waiting)
      child.kill(signal)
      const { code, stderr } = await ended()
      expect(code).toBe(signal === "SIGTERM" ? 143 : 137)
      if (signal === "SIGTERM") expect(stderr).toEndWith("Interrupted: nothing was changed\n")
      await until(async () => !(await waiting()))
    })
    expect(await contentsOf(url)).toEqual(before)
    expect(await schemaOf(url)).toEqual(schema)
    expect((await mds(url, ["restore", "--replace", path("restored.dump")])).code).toBe(0)
    expect(await contentsOf(url)).toEqual(backedUp)
  },
)

test("a backup is of one point in time while releases are published", async () => {
  let done = false
  const publishing = (async () => {
    let published = 0
    for (; !done; published++) {
      await service.publish({ ...awkward, reports: awkward.reports.slice(0, 1 + (published % 7)) })
    }
    return published
  })()
  expect((await mds(url, ["backup", "--force", path("moving.dump")])).code).toBe(0)
  done = true
  expect(await publishing).toBeGreaterThan(1)
  expect((await mds(url, ["restore", "--replace", path("moving.dump")])).code).toBe(0)
  const [row] =
    await service.sql`select max(id) as release, max(id) = max(since_release) as "isWhole",
      (select count(*)::int from reports) as reports,
      (select count(*)::int from reports where since_release = (select max(id) from releases)) as newest
    from releases, companies`
  expect(row?.isWhole).toBe(true)
  expect(row?.newest).toBe(row?.reports)
})
