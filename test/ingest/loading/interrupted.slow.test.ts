/**
 * A load that is killed, or loses its connection, leaves the last release as it was and blocks no
 * later load.
 */

import { beforeEach, expect, test } from "bun:test"
import { join } from "node:path"
import { type Progress, silent } from "../../../src/ingest/loading/progress.ts"
import { mainFile } from "../../../src/program.ts"
import { holdLock } from "../../support/held-locks.ts"
import { until } from "../../support/until.ts"
import { workbench } from "./workbench.ts"

const bench = await workbench()
beforeEach(async () => {
  await bench.empty()
  await bench.load("companies", header + alpha)
})

const header = "asx_code,company_name,is_active\n"
const alpha = "QZA,Alpha,true\n"
const beta = "QZB,Beta,true\n"

const program = join(import.meta.dir, "loader-process.ts")
const spawnLoad = (source: string, file: string) => spawnBun([program, bench.url, source, file], {})

const spawnCommand = (...args: string[]) =>
  spawnBun([mainFile, ...args], { DATABASE_URL: bench.url })

const spawnBun = (args: readonly string[], settings: Record<string, string>) =>
  Bun.spawn([process.execPath, ...args], {
    env: { ...process.env, ...settings },
    stdin: "pipe",
    stdout: "inherit",
    stderr: "ignore",
  })

const otherBackends = async () =>
  (
    await bench.sql`
      select a.pid from pg_stat_activity a
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`
  ).length

const loadLocks = async () =>
  (
    await bench.sql`
      select from pg_locks where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())`
  ).length

const temporaryTables = async () =>
  (await bench.sql`select from pg_class where relpersistence = 't' and relname like 'staged%'`)
    .length

/** Keeps loads from writing to a table. */
const hold = (table: string) =>
  holdLock(bench.sql, `lock table ${table} in share row exclusive mode`)

/** Kills a process when it is about to write to the table. */
async function killAt(table: string, start: () => ReturnType<typeof spawnBun>): Promise<void> {
  await using held = await hold(table)
  const started = start()
  await until(held.isAwaited)
  started.kill("SIGKILL")
  await started.exited
  // The server notices by itself that the client has disconnected.
  await until(async () => (await loadLocks()) === 0)
  await held.release()
}

const codes = async () =>
  (await bench.sql`select asx_code from companies order by 1`).map(({ asx_code }) => asx_code)

async function expectLastReleaseUnchanged() {
  await until(async () => (await otherBackends()) + (await loadLocks()) === 0)
  expect(await temporaryTables()).toBe(0)
  expect(await codes()).toEqual(["QZA"])
  expect(await bench.releases()).toBe(1)
  expect((await bench.load("companies", header + alpha + beta)).release).toBe(2)
}

test("A loader killed while it reads leaves the last release, and the next load succeeds", async () => {
  const loader = spawnLoad("companies", "-")
  loader.stdin.write(header + alpha + beta.repeat(5000))
  await loader.stdin.flush()
  // The file does not end, so the load stops here.
  await until(async () => (await loadLocks()) === 1)
  loader.kill("SIGKILL")
  await loader.exited
  await expectLastReleaseUnchanged()
})

test("A loader killed while it publishes leaves the last release, and the next load succeeds", async () => {
  const file = bench.file("more.csv", header + alpha + beta)
  await killAt("releases", () => spawnLoad("companies", file))
  await expectLastReleaseUnchanged()
})

test("A killed removal of a source and a killed pruning block no later load", async () => {
  await killAt("companies", () => spawnCommand("sources", "remove", "companies"))
  await killAt("companies_history", () => spawnCommand("releases", "prune", "--keep-days", "1"))
  await expectLastReleaseUnchanged()
})

test("A refused load that is killed while recording it is recorded once when repeated", async () => {
  const titles = (numbers: readonly number[]) =>
    ["tno,typedesc,statussdsc,own_name", ...numbers.map((n) => `EL${n},,,`), ""].join("\n")
  const all = Array.from({ length: 40 }, (_, n) => n)
  const file = bench.file("cut.csv", titles([0]))
  await bench.empty()
  await bench.load("vic", titles(all))
  await bench.load("vic", titles(all.slice(1)))
  await killAt("sources", () => spawnLoad("vic", file))
  await bench.refusal("vic", [file])
  expect([...(await bench.sql`select key from missing_records`)]).toEqual([{ key: "VIC-EL0" }])
  const [source] = await bench.sql`
    select last_outcome, totals->'refused'->'loads' as refused from sources`
  expect(source).toEqual({ last_outcome: "refused", refused: 1 })
  expect(await bench.releases()).toBe(1)
})

test("A second concurrent load waits, reports that, and publishes", async () => {
  await using held = await hold("companies")
  const first = bench.load("companies", [bench.file("first.csv", header + alpha + beta)])
  await until(held.isAwaited)
  expect(await codes()).toEqual(["QZA"])
  const steps: string[] = []
  const progress: Progress = { ...silent, step: (text) => steps.push(text) }
  const report = "hash,asx_code,title,published_at\nh1,QZA,T,2026-01-02T03:04:05Z\n"
  const second = bench.load("reports", [bench.file("second.csv", report)], { progress })
  await until(async () => steps.length > 0)
  expect(steps).toEqual(["Waiting for another load to end"])
  await held.release()
  expect((await first).release).toBe(2)
  expect((await second).release).toBe(3)
})

test("A load that loses its connection publishes nothing", async () => {
  const loading = bench.load("companies", [bench.file("lost.csv", header + alpha + beta)], {
    progress: {
      ...silent,
      step: (text) => {
        if (text === "Linking tenements to companies") lose = terminateLoads()
      },
    },
  })
  let lose: Promise<unknown> = Promise.resolve()
  const outcome = await loading.catch((error: unknown) => error)
  await lose
  expect(outcome).toBeInstanceOf(Error)
  await expectLastReleaseUnchanged()
})

const terminateLoads = () =>
  bench.sql`
  select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())`.execute()
