/** What the metrics tell of the sources is read by whoever may read the tables. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import postgres from "postgres"
import { createPool, type Pool } from "../../../src/db/pool/pool.ts"
import { createSourceReadings } from "../../../src/db/reader/source-readings.ts"
import { type TestDatabase, testDatabase } from "../../support/postgres.ts"
import { until } from "../../support/until.ts"

const role = `reader_${crypto.randomUUID().slice(0, 8)}`

let database: TestDatabase
let sql: postgres.Sql
let pool: Pool

beforeAll(async () => {
  database = await testDatabase()
  sql = postgres(database.url, { max: 1, onnotice: () => {} })
  await sql.unsafe(`
    create role ${role} login password 'secret';
    grant select on all tables in schema public to ${role};
    alter role ${role} set default_transaction_read_only = on`)
  const url = new URL(database.url)
  url.username = role
  url.password = "secret"
  const settings = { name: "test", connections: 1, queueLength: 0, statementTimeoutMs: 10_000 }
  pool = createPool(url.href, settings)
})

afterAll(async () => {
  await pool.close()
  await sql.unsafe(`drop owned by ${role}; drop role ${role}`)
  await sql.end()
  await database.drop()
})

test("a role that may only read gets the sources, with the totals of each and not of another", async () => {
  await sql`insert into sources (name, resource, last_outcome, last_reason) values
    ('wa', 'tenements', 'failed', 'lost'), ('sample', 'tenements', 'unchanged', null),
    ('sample', 'reports', 'unchanged', null)`
  await sql`insert into load_totals values ('wa', 'tenements', 'failed', 2, 0.5),
    ('wa', 'tenements', 'published', 9007199254740991, 1e9), ('sample', 'reports', 'unchanged', 1, 0)`
  const failures: unknown[] = []
  let nowMs = 0
  // Every call reads again, and waits no longer than a scrape does.
  const minutely = () => {
    nowMs += 60_000
    return new Date(nowMs)
  }
  const read = createSourceReadings(pool, minutely, (error) => failures.push(error))
  let data: Awaited<ReturnType<typeof read>>
  await until(async () => {
    data = await read()
    return data !== undefined || failures.length > 0
  })
  expect(failures).toEqual([])
  expect(data?.sources.map(({ name, resource, totals }) => [name, resource, totals])).toEqual([
    [
      "wa",
      "tenements",
      {
        failed: { loads: 2, seconds: 0.5 },
        published: { loads: 9_007_199_254_740_991, seconds: 1e9 },
      },
    ],
    ["sample", "tenements", {}],
    ["sample", "reports", { unchanged: { loads: 1, seconds: 0 } }],
  ])
})
