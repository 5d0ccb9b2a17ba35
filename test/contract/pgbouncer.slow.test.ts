/**
 * Behind a pooler that gives each transaction another connection the service is correct, and with the
 * database's own address notifications and loads go past the pooler.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { sampleFixtures } from "../support/fixtures.ts"
import { directoryOfFile } from "../support/of-file.ts"
import { type PgBouncer, pgbouncer, pgbouncerIsInstalled } from "../support/pgbouncer.ts"
import { command } from "../support/process.ts"
import { type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { releaseOf } from "./bodies.ts"
import { throughProxy } from "./interruptible-proxy.ts"

const sizes = { companies: 200, tenements: 500, subsidiaries: 50, reports: 500 }
const uncached = { CACHE_MEMORY_MB: "0" }

describe.skipIf(!pgbouncerIsInstalled)("Behind PgBouncer in transaction mode", () => {
  const directory = directoryOfFile()
  let direct: TestService
  let pooler: PgBouncer
  let pooled: TestService

  beforeAll(async () => {
    direct = await testService({ records: sampleFixtures(sizes) })
    pooler = await pgbouncer(direct.database.url, 4)
    pooled = await testService({ beside: direct, reach: () => pooler.url, settings: uncached })
  })

  afterAll(async () => {
    await pooled.stop()
    await pooler.stop()
    await direct.stop()
  })

  const warnings = ({ logLines }: TestService) =>
    logLines.filter((line) => line.includes("set DATABASE_DIRECT_URL"))
  const stateOf = async ({ url }: TestService) =>
    (await (await fetch(`${url}/readyz`)).json()) as { notifications?: string }

  test("Without the direct address the service warns once, and the next request returns a new release", async () => {
    expect(warnings(pooled)).toHaveLength(1)
    expect((await stateOf(pooled)).notifications).toBe("lost")
    expect(warnings(direct)).toEqual([])
    for (let round = 0; round < 10; round++) {
      const [inserted] = await direct.sql`
        insert into releases (id, published_at, source, manifest)
        select max(id) + 1, max(published_at) + interval '1 second', 'test', '{}' from releases
        returning id`
      expect(releaseOf(await pooled.get("/reports"))).toBe(inserted?.id)
    }
  })

  test("Concurrent responses through the pooler equal those without it, byte for byte", async () => {
    const named = ["etag", "x-data-release", "x-total-count", "link", "content-type"]
    const responseOf = async (service: TestService, path: string) => {
      const response = await service.get(path)
      const headers = named.map((name) => response.headers.get(name))
      return [path, response.status, headers, await response.text()]
    }
    const paths = await somePaths(direct)
    const expected: Awaited<ReturnType<typeof responseOf>>[] = []
    for (const path of paths) expected.push(await responseOf(direct, path))
    for (let round = 0; round < 3; round++) {
      expect(await Promise.all(paths.map((path) => responseOf(pooled, path)))).toEqual(expected)
    }
  })

  test("A statement that uses all of the pooler's connections completes", async () => {
    await using narrow = await pgbouncer(direct.database.url, 1)
    await using service = await testService({
      beside: direct,
      reach: () => narrow.url,
      settings: uncached,
    })
    const [report] = await direct.sql`select hash from reports limit 1`
    expect((await service.get("/companies")).status).toBe(200)
    await direct.sql.unsafe(`alter table reports rename to reports_kept;
      create view reports as select kept.* from reports_kept kept, (select pg_sleep(3)) slow`)
    const { status } = await service.get(`/reports/${report?.hash}`)
    await direct.sql.unsafe("drop view reports; alter table reports_kept rename to reports")
    expect(status).toBe(200)
  })

  test("With the direct address the service is notified of loads", async () => {
    const settings = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: direct.database.url }
    await using service = await testService({ beside: direct, reach: () => pooler.url, settings })
    expect(warnings(service)).toEqual([])
    expect((await stateOf(service)).notifications).toBe("listening")
    const file = join(directory, "reports.csv")
    await Bun.write(file, "hash,asx_code,title,published_at\nnew,BIG,T,2026-01-02T03:04:05Z\n")
    const { stdout } = await command(["load", "reports", file, "--partial", "--json"], {
      ...settings,
      DATA_DIR: directory,
    })
    const { release, unconfirmed } = JSON.parse(stdout)
    expect([unconfirmed, releaseOf(await service.get("/reports/new"))]).toEqual([0, release])
  })
})

/** Every kind of list and record, with filters of every type. */
async function somePaths({ sql }: TestService): Promise<string[]> {
  const keys = async (table: string, key: string): Promise<string[]> =>
    (await sql.unsafe(`select ${key} as key from ${table} order by md5(${key}) limit 5`)).map(
      ({ key }) => key,
    )
  return [
    ...["per_page=7", "per_page=3&page=2", "search=a", "sector=energy", "as_of=1"].flatMap(
      (query) =>
        ["", "&active=false&sort=market_cap&order=desc"].map(
          (more) => `/companies?${query}${more}`,
        ),
    ),
    "/companies?format=csv&all=true",
    "/companies?updated_since=0",
    "/companies?removed_since=0",
    ...(await keys("companies", "asx_code")).flatMap((code) => [
      `/companies/${code}`,
      `/companies/${code}/tenements?status=granted&state=WA`,
      `/companies/${code}/subsidiaries`,
      `/reports?company=${code}&per_page=4`,
    ]),
    ...(await keys("tenements", "id")).map((id) => `/tenements/${id}`),
    ...(await keys("reports", "hash")).map((hash) => `/reports/${hash}`),
    "/tenements?state=WA&format=tsv",
    "/tenements?type=exploration&holder=mining",
    "/tenements?page=3&per_page=20",
    "/reports?from=2020-01-01&to=2025-12-31&search=drill",
    "/reports?type=quarterly+report&per_page=9",
    "/releases",
    "/companies/NONE",
  ]
}

test.each(["cut", "silence"] as const)(
  "A service whose pooler is lost (%s) is not ready and rejects requests at once, although the database responds",
  async (how) => {
    await using direct = await testService()
    using pooler = await throughProxy(direct.database.url)
    await using service = await testService({
      beside: direct,
      reach: () => pooler.url,
      settings: {
        ...uncached,
        DATABASE_URL: pooler.url,
        DATABASE_DIRECT_URL: direct.database.url,
      },
    })
    const readiness = async () => {
      service.clock.advance(1_000)
      const response = await fetch(`${service.url}/readyz`)
      const { database } = (await response.json()) as { database: string }
      return [response.status, database]
    }
    expect(await readiness()).toEqual([200, "responding"])
    pooler[how]()
    await until(async () => Bun.deepEquals(await readiness(), [503, "lost"]))
    const begunMs = performance.now()
    expect((await service.get("/companies")).status).toBe(503)
    // At once, and not after the limits of statements: 17 s. Allows for a busy machine.
    expect(performance.now() - begunMs).toBeLessThan(4_000)
    pooler.mend()
    await until(async () => (await readiness())[0] === 200)
    expect((await service.get("/companies")).status).toBe(200)
  },
)
