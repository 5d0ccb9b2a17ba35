/** A service that fetches by itself publishes changes, and reports failed and refused loads. */
import { beforeEach, expect, test } from "bun:test"
import { plain, reply } from "../ingest/fetching/misbehaving-server.ts"
import { serviceProcess } from "../support/process.ts"
import { until } from "../support/until.ts"
import { directory, fetchWorkbench } from "./fetch-workbench.ts"

const bench = await fetchWorkbench()
beforeEach(() => bench.reset())

const serve = () =>
  serviceProcess({ DATABASE_URL: bench.url, DATA_DIR: bench.dataDir, FETCH_EVERY: "1" })
const interrupted = "a fetch was interrupted; it is due when the service starts again"
/** Without the first line, which shows the version. */
const loggedBy = (service: Awaited<ReturnType<typeof serve>>) => service.logged().slice(1)
const eventsOf = (service: Awaited<ReturnType<typeof serve>>) =>
  loggedBy(service).map(({ event, source, reason }) => [event, source, reason])

test("The service fetches due sources at its start, and logs and counts each outcome", async () => {
  bench.writeSources({
    "asx-directory": bench.entry("/asx.csv"),
    companies: bench.entry("/wrong.csv"),
    subsidiaries: bench.entry("/none.csv"),
  })
  bench.server.respond(({ target }) => {
    if (target === "/none.csv") return reply(404, {})
    return plain(target === "/asx.csv" ? directory : "a,b\n1,2\n")
  })
  const service = await serve()
  await until(() => eventsOf(service).length >= 3)
  expect(eventsOf(service)).toEqual([
    ["a source was published", "asx-directory", undefined],
    ["a source was refused", "companies", expect.stringContaining("Cannot read")],
    ["a source was not fetched", "subsidiaries", expect.stringContaining("it returned 404")],
  ])
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  for (const outcome of ["published", "refused", "failed"]) {
    expect(metrics).toContain(`mds_fetches_total{outcome="${outcome}"} 1`)
  }
  await service.stop()
})

async function expectNextPublishes(): Promise<void> {
  const next = await serve()
  await until(() => eventsOf(next).length > 0)
  expect(eventsOf(next)).toEqual([["a source was published", "asx-directory", undefined]])
  await next.stop()
}

test("The next service fetches a source at once when shutdown interrupted its download", async () => {
  bench.writeSources({ "asx-directory": bench.entry("/asx.csv") })
  const requested = Promise.withResolvers<void>()
  const never = Promise.withResolvers<never>()
  bench.server.respond(() => {
    requested.resolve()
    return never.promise
  })
  const service = await serve()
  await requested.promise
  service.kill("SIGTERM")
  expect(await service.exited).toBe(0)
  expect(eventsOf(service).map(([event]) => event)).toEqual([interrupted])
  bench.server.respond(() => plain(directory))
  await expectNextPublishes()
})

test("Shutdown rolls back a scheduled load, and the next service repeats it", async () => {
  bench.writeSources({ "asx-directory": bench.entry("/asx.csv") })
  bench.server.respond(() => plain(directory))
  await using held = await bench.holdLoads()
  const service = await serve()
  const locks = () =>
    bench.sql`select granted from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`
  await until(async () => (await locks()).some(({ granted }) => !granted))
  service.kill("SIGTERM")
  expect(await service.exited).toBe(0)
  // Only the session of this test remains.
  await until(async () => (await locks()).length === 1)
  await held.release()
  expect(await bench.releases()).toBe(0)
  await expectNextPublishes()
})

test("Without SOURCES_FILE's file the service runs, and logs the reason", async () => {
  const service = await serve()
  await until(() => eventsOf(service).length > 0)
  expect(loggedBy(service)[0]).toMatchObject({
    level: "error",
    event: "sources were not fetched",
    exit_code: 1,
    messages: expect.stringContaining("sources.json: no such file"),
  })
  expect((await fetch(`${service.url}/livez`)).status).toBe(200)
  await service.stop()
})
