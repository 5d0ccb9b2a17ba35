/** Behind a connection pooler, notifications and loads go past it where the database's own address is given. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type PgBouncer,
  pgbouncer,
  pgbouncerIsInstalled,
  reportIfSkipped,
} from "../support/pgbouncer.ts"
import { command } from "../support/process.ts"
import { type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { interruptibleProxy } from "./interruptible-proxy.ts"

reportIfSkipped(import.meta.path)

describe.skipIf(!pgbouncerIsInstalled)("behind PgBouncer in transaction mode", () => {
  let direct: TestService
  let pooler: PgBouncer

  beforeAll(async () => {
    direct = await testService()
    pooler = await pgbouncer(direct.database.url, 4)
  })

  afterAll(async () => {
    await pooler.stop()
    await direct.stop()
  })

  const pooled = (settings: Record<string, string> = {}) =>
    testService({ beside: direct, reach: () => pooler.url, settings })
  const warnings = ({ logLines }: TestService) =>
    logLines.filter((line) => line.includes("set DATABASE_DIRECT_URL"))
  const stateOf = async ({ url }: TestService) =>
    (await (await fetch(`${url}/readyz`)).json()) as { notifications?: string }

  test("a service without it says once, at its start, what does not work", async () => {
    const service = await pooled()
    expect(warnings(service)).toHaveLength(1)
    expect((await stateOf(service)).notifications).toBe("lost")
    await service.stop()
    expect(warnings(direct)).toEqual([])
  })

  test("a statement that takes all of the pooler's connections runs on, although nothing else is answered", async () => {
    const narrow = await pgbouncer(direct.database.url, 1)
    const service = await testService({
      beside: direct,
      reach: () => narrow.url,
      settings: { CACHE_MEMORY_MB: "0" },
    })
    expect((await service.get("/companies")).status).toBe(200)
    await direct.sql.unsafe(`alter table reports rename to reports_kept;
      create view reports as select kept.* from reports_kept kept, (select pg_sleep(3)) slow`)
    const { status } = await service.get("/reports?per_page=100&page=2")
    await direct.sql.unsafe("drop view reports; alter table reports_kept rename to reports")
    expect(status).toBe(200)
    await service.stop()
    await narrow.stop()
  })

  test("a service with it is notified of what a command loads past the pooler", async () => {
    const directory = await mkdtemp(join(tmpdir(), "mds-direct-address-"))
    const settings = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: direct.database.url }
    const service = await pooled(settings)
    expect(warnings(service)).toEqual([])
    expect((await stateOf(service)).notifications).toBe("listening")

    const file = join(directory, "reports.csv")
    await Bun.write(file, "hash,asx_code,title,published_at\nnew,BIG,T,2026-01-02T03:04:05Z\n")
    const { printed } = await command(["load", "reports", file, "--partial", "--json"], {
      ...settings,
      DATA_DIR: directory,
    })
    expect(JSON.parse(printed)).toMatchObject({ release: 2, unconfirmed: 0 })
    expect((await service.get("/reports/new")).headers.get("x-data-release")).toBe("2")
    await service.stop()
    await rm(directory, { recursive: true })
  })
})

/** A service whose pooler is a proxy that a test can break. */
async function behindProxy() {
  const direct = await testService()
  const { hostname, port } = new URL(direct.database.url)
  const pooler = await interruptibleProxy({ host: hostname, port: Number(port) })
  const pooled = new URL(direct.database.url)
  pooled.port = String(pooler.port)
  const service = await testService({
    beside: direct,
    reach: () => pooled.href,
    settings: {
      DATABASE_URL: pooled.href,
      DATABASE_DIRECT_URL: direct.database.url,
      CACHE_MEMORY_MB: "0",
    },
  })
  const stop = async () => {
    await service.stop()
    await direct.stop()
    pooler.close()
  }
  return { service, pooler, stop }
}

test.each(["cut", "silence"] as const)(
  "a service whose pooler is lost (%s) is not ready, although the database answers",
  async (how) => {
    const { service, pooler, stop } = await behindProxy()
    const readiness = async () => {
      service.clock.advance(1_000)
      const answer = await fetch(`${service.url}/readyz`)
      const { database } = (await answer.json()) as { database: string }
      return [answer.status, database]
    }
    expect(await readiness()).toEqual([200, "answering"])
    pooler[how]()
    await until(async () => Bun.deepEquals(await readiness(), [503, "lost"]))
    const begunMs = performance.now()
    expect((await service.get("/companies")).status).toBe(503)
    // At once, and not after the limits of statements: 17 s. Allows for a busy machine.
    expect(performance.now() - begunMs).toBeLessThan(4_000)
    pooler.mend()
    await until(async () => (await readiness())[0] === 200)
    expect((await service.get("/companies")).status).toBe(200)
    await stop()
  },
)

test("a request in flight is refused when its pooler is lost", async () => {
  const { service, pooler, stop } = await behindProxy()
  expect((await service.get("/companies")).status).toBe(200)
  pooler.silence()
  const begunMs = performance.now()
  expect((await service.get("/companies")).status).toBe(503)
  expect(performance.now() - begunMs).toBeLessThan(6_000)
  await stop()
})
