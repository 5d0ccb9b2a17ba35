/**
 * The service is correct behind a pooler that gives each transaction another connection to the
 * server.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readConfig } from "../../src/config.ts"
import { createLog } from "../../src/log/log.ts"
import { type Service, startService } from "../../src/service.ts"
import { sampleFixtures } from "../support/fixtures.ts"
import {
  type PgBouncer,
  pgbouncer,
  pgbouncerIsInstalled,
  reportIfSkipped,
} from "../support/pgbouncer.ts"
import { seeded } from "../support/seeded.ts"
import { type TestService, testService } from "../support/service.ts"

reportIfSkipped(import.meta.path)

const sizes = { companies: 200, tenements: 500, subsidiaries: 50, reports: 500 }
/** More would be answered from memory, without a statement: lists and records are kept. */
const timesEach = 5
const callers = 12
const serverConnections = 4

describe.skipIf(!pgbouncerIsInstalled)("behind PgBouncer in transaction mode", () => {
  let direct: TestService
  let pooler: PgBouncer
  let pooled: Service

  beforeAll(async () => {
    direct = await testService({ records: sampleFixtures(sizes) })
    pooler = await pgbouncer(direct.database.url, serverConnections)
    const now = () => direct.clock.now
    pooled = await startService({
      config: readConfig({ PORT: "0", SHUTDOWN_SECONDS: "2" }),
      databaseUrl: pooler.url,
      log: createLog(() => {}, now),
      now,
    })
  })

  afterAll(async () => {
    await pooled.stop()
    await pooler.stop()
    await direct.stop()
  })

  const answerOf = async (url: string, path: string) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      headers: { Authorization: `Bearer ${direct.tokens.admin}` },
    })
    const { status, headers } = answer
    const named = ["etag", "x-data-release", "x-total-count", "link", "content-type"]
    return [path, status, named.map((name) => headers.get(name)), await answer.text()]
  }

  test("a release is shown by the next request, although no notification arrives", async () => {
    for (let round = 0; round < 20; round++) {
      const [inserted] = await direct.sql`
        insert into releases (id, published_at, source, manifest)
        select max(id) + 1, max(published_at) + interval '1 second', 'test', '{}' from releases
        returning id`
      const { headers } = await fetch(`${pooled.url}/api/v1/reports?api_key=${direct.tokens.admin}`)
      expect(headers.get("x-data-release")).toBe(String(inserted?.id))
    }
  })

  test(`all answers to ${callers} callers at once are, byte for byte, those of a service without it`, async () => {
    const paths = await somePaths(direct)
    const expected = new Map<string, unknown>()
    for (const path of paths) expected.set(path, await answerOf(direct.url, path))

    const random = seeded(1)
    const asked = Array.from({ length: timesEach }, () => paths)
      .flat()
      .map((path) => ({ path, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ path }) => path)
    expect(asked.length).toBeGreaterThan(400)
    const different: unknown[] = []
    const caller = async (): Promise<void> => {
      for (let path = asked.pop(); path !== undefined; path = asked.pop()) {
        const answer = await answerOf(pooled.url, path).catch(String)
        if (!Bun.deepEquals(answer, expected.get(path))) different.push(answer)
      }
    }
    await Promise.all(Array.from({ length: callers }, caller))
    expect({ left: asked.length, different: different.length, first: different[0] }).toEqual({
      left: 0,
      different: 0,
      first: undefined,
    })
  })
})

/** Every kind of list and record, with filters of every type. */
async function somePaths({ sql }: TestService): Promise<string[]> {
  const keys = async (table: string, key: string): Promise<string[]> =>
    (await sql.unsafe(`select ${key} as key from ${table} order by md5(${key}) limit 10`)).map(
      ({ key }) => key,
    )
  const codes = await keys("companies", "asx_code")
  const lists = ["", "active=true", "active=false", "active=false&sort=market_cap&order=desc"]
  return [
    ...lists.flatMap((query) =>
      ["per_page=7", "per_page=3&page=2", "per_page=5&search=a", "format=csv&all=true"].map(
        (more) => `/companies?${query}${query && "&"}${more}`,
      ),
    ),
    ...["active=true", "active=false"].flatMap((query) =>
      ["sector=energy", "sector=materials", "updated_since=0", "removed_since=0", "as_of=1"].map(
        (more) => `/companies?${query}&${more}`,
      ),
    ),
    ...codes.map((code) => `/companies/${code}`),
    ...codes.flatMap((code) => [
      `/companies/${code}/tenements?per_page=5`,
      `/companies/${code}/tenements?status=granted&state=WA`,
      `/companies/${code}/subsidiaries`,
      `/reports?company=${code}&per_page=4`,
    ]),
    ...(await keys("tenements", "id")).map((id) => `/tenements/${id}`),
    ...(await keys("reports", "hash")).map((hash) => `/reports/${hash}`),
    ..."WA NSW QLD".split(" ").map((state) => `/tenements?state=${state}&format=tsv`),
    "/tenements?type=exploration&holder=mining",
    "/tenements?page=3&per_page=20",
    "/reports?from=2020-01-01&to=2025-12-31&search=drill",
    "/reports?type=quarterly+report&per_page=9",
    "/releases",
    "/companies/NONE",
    "/tenements/none",
  ]
}
