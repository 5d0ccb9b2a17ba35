/**
 * With DATABASE_READ_URL, lists, exports and records are read from the replica if it has the release. What
 * it rejects, cancels, does not respond to or does not have is read from the primary.
 */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { awkward } from "../support/fixtures.ts"
import { afterFile, directoryOfFile } from "../support/of-file.ts"
import { type OwnServer, ownServer } from "../support/own-server.ts"
import { fillWith } from "../support/postgres.ts"
import { command } from "../support/process.ts"
import { awkwardPublished, serviceOfFile } from "../support/service.ts"
import { until } from "../support/until.ts"
import { readList, releaseOf } from "./bodies.ts"

const directory = directoryOfFile()
const primary = await ownServer()
afterFile(primary.stop)
const note = await fillWith(awkwardPublished, primary.url)
const replica = await ownServer({ standbyOf: primary })
afterFile(replica.stop)
const replicaHas = (release: number) => until(async () => (await newestOf(replica)) === release)
await replicaHas(1)
const service = await serviceOfFile({
  beside: { database: { url: primary.url, note, drop: async () => {} } },
  // So that no response comes from memory.
  settings: {
    DATABASE_URL: primary.url,
    DATABASE_READ_URL: replica.url,
    CACHE_MEMORY_MB: "0",
  },
})

async function newestOf(server: OwnServer): Promise<number> {
  const rows = await server
    .run<{ id: number }>("select max(id) as id from releases")
    .catch(() => [{ id: 0 }])
  return rows[0]?.id ?? 0
}

/** How many sessions of the service a server has for lists and exports. */
async function readersOn(server: OwnServer): Promise<number> {
  const [row] = await server.run<{ count: number }>(
    "select count(*)::int from pg_stat_activity where application_name in ('mds lists', 'mds exports')",
  )
  return row?.count ?? 0
}

const logged = (event: string): boolean => service.logLines.some((line) => line.includes(event))

const paths = [
  "/companies",
  "/companies/BIG",
  "/reports?format=csv&all=true",
  "/tenements?page=2&per_page=2",
]

const expectAnswers = async () => {
  for (const path of paths) expect([path, (await service.get(path)).status]).toEqual([path, 200])
}

test("Lists and exports are read on the replica only", async () => {
  for (let round = 0; round < 10; round++) await expectAnswers()
  expect(await readersOn(primary)).toBe(0)
  expect(await readersOn(replica)).toBeGreaterThan(0)
})

test("A lagging replica never causes an older or mixed release", async () => {
  await replica.run("select pg_wal_replay_pause()")
  await service.publish({ ...awkward, reports: awkward.reports.slice(0, 5) })
  // A new page 1, since a later page stays on the release of its sequence.
  await service.get("/tenements?per_page=2")
  for (let round = 0; round < 10; round++) {
    for (const path of paths) expect([path, releaseOf(await service.get(path))]).toEqual([path, 2])
    const { data, meta } = await readList(await service.get("/reports?per_page=100"))
    expect([data.length, meta.total]).toEqual([5, 5])
  }
  expect(await newestOf(replica)).toBe(1)
  const earlier = await readList(await service.get("/reports?as_of=1&per_page=100"))
  expect(earlier.meta.total).toBeGreaterThan(5)
  await replica.run("select pg_wal_replay_resume()")
  await replicaHas(2)
  expect(releaseOf(await service.get("/companies"))).toBe(2)
})

test("A frozen replica delays one request by two seconds at most", async () => {
  replica.freeze()
  try {
    const durations = await Promise.all(
      paths.map(async (path) => {
        const startedMs = performance.now()
        expect([path, (await service.get(path)).status]).toEqual([path, 200])
        return performance.now() - startedMs
      }),
    )
    // Allows for a busy machine.
    expect(Math.max(...durations)).toBeLessThan(4_000)
    await until(() => logged("the replica does not respond"))
    const startedMs = performance.now()
    await expectAnswers()
    // Each request that waited for the replica would take this long.
    expect(performance.now() - startedMs).toBeLessThan(2_000)
  } finally {
    replica.thaw()
  }
  await until(() => logged("the replica responds again"))
})

test("A statement that the replica cancels runs on the primary", async () => {
  const onReplica = (statement: string) =>
    until(async () => (await replica.run(statement)).length > 0)
  // A statement that is in the way of the replay is canceled at once.
  await replica.run("alter system set max_standby_streaming_delay = 0")
  await replica.run("select pg_reload_conf()")
  await primary.run(`alter table reports rename to reports_kept;
    create view reports as select kept.* from reports_kept kept, (select pg_sleep(30)) slow`)
  await onReplica("select from pg_views where viewname = 'reports'")
  const response = service.get("/reports?per_page=100")
  await onReplica("select from pg_stat_activity where wait_event = 'PgSleep'")
  await primary.run("drop view reports; alter table reports_kept rename to reports")
  expect((await readList(await response)).meta.total).toBe(5)
  await replica.run("alter system reset max_standby_streaming_delay")
  await replica.run("select pg_reload_conf()")
})

test("An export continues when the replica freezes", async () => {
  const file = join(directory, "many.csv")
  const rows = Array.from({ length: 9_000 }, (_, n) => `many${n},BIG,T,2026-01-02T03:04:05Z\n`)
  await Bun.write(file, `hash,asx_code,title,published_at\n${rows.join("")}`)
  const settings = { DATABASE_URL: primary.url, DATA_DIR: directory }
  expect((await command(["load", "reports", file, "--partial"], settings)).exitCode).toBe(0)
  await replicaHas(3)
  await until(async () => releaseOf(await service.get("/companies")) === 3)
  const response = await service.get("/reports?format=csv&all=true")
  const total = Number(response.headers.get("x-total-count"))
  expect(total).toBeGreaterThan(9_000)
  replica.freeze()
  const lines = (await response.text()).trimEnd().split("\r\n").slice(1)
  replica.thaw()
  expect([lines.length, new Set(lines).size]).toEqual([total, total])
})

test("A revoked token is rejected at once, whatever the replica has seen", async () => {
  const token = await service.issue("revoked@example.com")
  expect((await service.get("/companies", { token })).status).toBe(200)
  await replica.run("select pg_wal_replay_pause()")
  await service.revoke(token)
  expect((await service.get("/companies", { token })).status).toBe(401)
  await replica.run("select pg_wal_replay_resume()")
})

test("Every request succeeds after the replica is killed", async () => {
  await replica.kill()
  await expectAnswers()
})
