/**
 * With standbys, lists and records are read from those that have the release, never from one that lags;
 * reads go on when the primary is killed, and loads when a standby was promoted.
 */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { awkward } from "../support/fixtures.ts"
import { type OwnServer, ownServer } from "../support/own-server.ts"
import { fillWith } from "../support/postgres.ts"
import { command, serviceProcess } from "../support/process.ts"
import { awkwardPublished, type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { readList } from "./bodies.ts"

let primary: OwnServer
let standbys: [OwnServer, OwnServer]
let service: TestService
let settings: Record<string, string>
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "mds-several-hosts-"))
  primary = await ownServer()
  const note = await fillWith(awkwardPublished, primary.url)
  standbys = await Promise.all([
    ownServer({ standbyOf: primary }),
    ownServer({ standbyOf: primary }),
  ])
  await Promise.all(standbys.map((standby) => until(async () => (await newestOf(standby)) === 1)))
  settings = {
    DATABASE_URL: primary.url,
    DATABASE_REPLICA_URLS: standbys.map(({ url }) => url).join(","),
    DATA_DIR: directory,
  }
  service = await testService({
    beside: { database: { url: primary.url, note, drop: async () => {} } },
    // So that none is answered from memory.
    settings: { ...settings, CACHE_MEMORY_MB: "0" },
  })
})

afterAll(async () => {
  await service.stop()
  await Promise.all([primary, ...standbys].map((server) => server.stop()))
  await rm(directory, { recursive: true, force: true })
})

async function newestOf(server: OwnServer): Promise<number> {
  const rows = await server
    .run<{ id: number }>("select max(id) as id from releases")
    .catch(() => [{ id: 0 }])
  return rows[0]?.id ?? 0
}

const tokensOf = "select from tokens join accounts on accounts.id = account_id where email ="

/** Waits until the service has asked the primary what it has, and has had the answer. */
async function primaryIsAsked(): Promise<void> {
  const questions = () =>
    primary.run<{ at: string }>(
      "select max(query_start)::text as at from pg_stat_activity where application_name = 'mds readiness'",
    )
  // One question begins after the other was answered.
  for (let round = 0; round < 2; round++) {
    const [before] = await questions()
    await until(async () => (await questions())[0]?.at !== before?.at)
  }
}

/** A process that starts while there is no primary serves what the standbys have. */
async function expectAnswersOfNewProcess(): Promise<void> {
  const process = await serviceProcess(settings)
  const answer = await process.get("/reports", service.tokens.admin)
  expect([answer.status, releaseOf(answer)]).toEqual([200, 3])
  await process.stop()
}

const releaseOf = ({ headers }: Response): number => Number(headers.get("x-data-release"))

/** How many sessions of the service a server has for pages of lists. */
async function readersOn(server: OwnServer): Promise<number> {
  const [row] = await server.run<{ count: number }>(
    "select count(*)::int from pg_stat_activity where application_name = 'mds pages'",
  )
  return row?.count ?? 0
}

/** Whether the service has logged the event of a server. */
const saidOf = ({ url }: OwnServer, event: string): boolean =>
  service.logLines.some((line) => line.includes(event) && line.includes(new URL(url).host))

/** Publishes a release with these announcements with a command. */
async function load(...hashes: string[]) {
  const file = join(directory, `${hashes[0]}.csv`)
  const rows = hashes.map((hash) => `${hash},BIG,T,2026-01-02T03:04:05Z\n`)
  await Bun.write(file, `hash,asx_code,title,published_at\n${rows.join("")}`)
  return command(["load", "reports", file, "--partial", "--json"], settings)
}

const paths = [
  "/companies",
  "/companies/BIG",
  "/reports?format=csv&all=true",
  "/tenements?page=2&per_page=2",
]

test("pages are read on the standbys in turn, and not on the primary", async () => {
  for (let round = 0; round < 10; round++) {
    for (const path of paths) expect((await service.get(path)).status).toBe(200)
  }
  expect(await readersOn(primary)).toBe(0)
  for (const standby of standbys) expect(await readersOn(standby)).toBeGreaterThan(0)
})

test("while the standbys lag no release is shown that is older than the newest, nor a mixture", async () => {
  await Promise.all(standbys.map((standby) => standby.run("select pg_wal_replay_pause()")))
  const [first] = (await readList(await service.get("/reports?per_page=2"))).data
  expect(first).toBeDefined()
  await service.publish({ ...awkward, reports: awkward.reports.slice(0, 5) })
  for (let round = 0; round < 10; round++) {
    for (const path of paths) expect([path, releaseOf(await service.get(path))]).toEqual([path, 2])
    const { data, meta } = await readList(await service.get("/reports?per_page=100"))
    expect([data.length, meta.total]).toEqual([5, 5])
  }
  expect(await Promise.all(standbys.map(newestOf))).toEqual([1, 1])
  // What the standbys have is still read there.
  const earlier = await readList(await service.get("/reports?as_of=1&per_page=100"))
  expect(earlier.meta.total).toBeGreaterThan(5)
  await Promise.all(standbys.map((standby) => standby.run("select pg_wal_replay_resume()")))
  await Promise.all(standbys.map((standby) => until(async () => (await newestOf(standby)) === 2)))
  expect(releaseOf(await service.get("/companies"))).toBe(2)
})

test("a standby that freezes costs a request two seconds at most, and then nothing", async () => {
  const [frozen] = standbys
  frozen.freeze()
  const statuses = await Promise.all(
    paths
      .flatMap((path) => [path, path])
      .map(async (path) => {
        const startedMs = performance.now()
        const { status } = await service.get(path)
        return [status, performance.now() - startedMs < 2_500]
      }),
  )
  for (const each of statuses) expect(each).toEqual([200, true])
  const said = (event: string) => saidOf(frozen, event)
  await until(() => said("the database does not answer"))
  // Now it is known, and nothing is sent there.
  const startedMs = performance.now()
  for (const path of paths) expect((await service.get(path)).status).toBe(200)
  expect(performance.now() - startedMs).toBeLessThan(1_000)
  frozen.thaw()
  await until(() => said("the database answers again"))
})

test("a statement that a standby ends for a conflict with its recovery is answered all the same", async () => {
  const onStandbys = (statement: string) =>
    until(async () => {
      const found = await Promise.all(standbys.map(({ run }) => run(statement)))
      return found.flat().length > 0
    })
  // A statement that is in the way of the replay is ended at once.
  for (const { run } of standbys) {
    await run("alter system set max_standby_streaming_delay = 0")
    await run("select pg_reload_conf()")
  }
  await primary.run(`alter table reports rename to reports_kept;
    create view reports as select kept.* from reports_kept kept, (select pg_sleep(30)) slow`)
  await Promise.all(
    standbys.map(({ run }) =>
      until(async () => (await run("select from pg_views where viewname = 'reports'")).length > 0),
    ),
  )
  const answer = service.get("/reports?per_page=100")
  await onStandbys("select from pg_stat_activity where wait_event = 'PgSleep'")
  await primary.run("drop view reports; alter table reports_kept rename to reports")
  expect((await readList(await answer)).meta.total).toBe(5)
  expect(saidOf(primary, "does not answer")).toBe(false)
  for (const { run } of standbys) {
    await run("alter system reset max_standby_streaming_delay")
    await run("select pg_reload_conf()")
  }
})

test("an export goes on when the standbys freeze in its middle", async () => {
  const rows = Array.from({ length: 9_000 }, (_, row) => `many${row}`)
  expect((await load(...rows)).exitCode).toBe(0)
  await Promise.all(standbys.map((standby) => until(async () => (await newestOf(standby)) === 3)))
  await until(async () => releaseOf(await service.get("/companies")) === 3)
  const answer = await service.get("/reports?format=csv&all=true")
  const total = Number(answer.headers.get("x-total-count"))
  expect(total).toBeGreaterThan(9_000)
  for (const standby of standbys) standby.freeze()
  const lines = (await answer.text()).trimEnd().split("\r\n").slice(1)
  for (const standby of standbys) standby.thaw()
  expect([lines.length, new Set(lines).size]).toEqual([total, total])
  expect((await service.get("/companies")).status).toBe(200)
})

test("with the primary frozen reads go on, also with a token that was not used before", async () => {
  const token = await service.issue("unused@example.com")
  await primaryIsAsked()
  primary.freeze()
  try {
    const startedMs = performance.now()
    for (const path of paths) expect((await service.get(path, { token })).status).toBe(200)
    expect(performance.now() - startedMs).toBeLessThan(5_000)
  } finally {
    primary.thaw()
  }
  await until(async () => (await service.get("/usage")).status === 200)
})

test("with the primary killed reads go on, and after a promotion loads; a page sequence has each record once", async () => {
  const [promoted] = standbys
  const perPage = 1
  const path = "/tenements?per_page=1"
  const first = await readList(await service.get(path))
  const seen = first.data.map(({ id }) => id)
  const readPage = async (page: number): Promise<void> => {
    const answer = await service.get(`${path}&page=${page}`)
    expect([page, answer.status, releaseOf(answer)]).toEqual([page, 200, 3])
    seen.push(...(await readList(answer)).data.map(({ id }) => id))
  }
  await readPage(2)
  // It lags from now on, and must not be asked for tokens.
  const [, lagging] = standbys
  const revoked = await service.issue("revoked@example.com")
  expect((await service.get("/companies", { token: revoked })).status).toBe(200)
  await until(async () => (await lagging.run(`${tokensOf} 'revoked@example.com'`)).length === 1)
  await lagging.run("select pg_wal_replay_pause()")
  await service.revoke(revoked)
  await primaryIsAsked()

  const killedMs = performance.now()
  await primary.kill()
  await until(async () => {
    const answers = await Promise.all(paths.map((each) => service.get(each)))
    return answers.every(({ status }) => status === 200)
  })
  expect(performance.now() - killedMs).toBeLessThan(5_000)
  service.clock.advance(1_000)
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(200)
  await readPage(3)
  for (let round = 0; round < 10; round++) {
    expect((await service.get("/companies", { token: revoked })).status).toBe(401)
  }
  await expectAnswersOfNewProcess()

  await promoted.promote()
  const promotedMs = performance.now()
  const { exitCode, printed, said } = await load("after")
  expect([exitCode, said]).toMatchObject([0, expect.any(String)])
  expect(JSON.parse(printed)).toMatchObject({ release: 4 })
  expect(performance.now() - promotedMs).toBeLessThan(10_000)
  await until(async () => releaseOf(await service.get("/reports/after")) === 4)

  for (let page = 4; page <= first.meta.total_pages; page++) await readPage(page)
  expect(seen).toHaveLength(first.meta.total)
  expect(new Set(seen).size).toBe(Math.ceil(first.meta.total / perPage))
})

test("an old primary that comes back is neither read nor written, by the service or by commands", async () => {
  const [promoted] = standbys
  await primary.start()
  await until(() => saidOf(primary, "the database answers again"))
  const { printed } = await load("later")
  expect(JSON.parse(printed)).toMatchObject({ release: 5, unconfirmed: 0 })
  expect(releaseOf(await service.get("/reports/later"))).toBe(5)
  expect([await newestOf(primary), await newestOf(promoted)]).toEqual([3, 5])
  expect(await readersOn(primary)).toBe(0)
})
