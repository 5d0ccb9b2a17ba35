/**
 * The first rows of a table are inserted before its indexes are built, where no other session can
 * notice, and the indexes are the schema's afterwards.
 */
import { afterAll, beforeAll, expect, test } from "bun:test"
import postgres from "postgres"
import { manyRows } from "../../src/loading/deferred-indexes.ts"
import { type LoadRecordsOptions, loadRecords } from "../../src/loading/load.ts"
import { type TestDatabase, testDatabase } from "../support/postgres.ts"

interface Index {
  definition: string
  oid: number
}

/** As the migrations leave them. Databases of one template have the same OIDs. */
let migrated: Index[]
const databases: TestDatabase[] = []

beforeAll(async () => {
  migrated = await indexesOf(await fresh())
})

afterAll(() => Promise.all(databases.map((database) => database.drop())))

test("the first rows come before the indexes, which are the schema's afterwards", async () => {
  const url = await fresh()
  const { resources } = await load(url)
  expect(resources.tenements).toMatchObject({ added: manyRows })
  const indexes = await indexesOf(url)
  expect(indexes.map(definition)).toEqual(migrated.map(definition))
  expect(builtAnew(indexes)).toEqual(migrated.map(definition).filter((each) => !/_pkey/.test(each)))
  const [found] = await query(url, "select count(*)::int as rows from tenements where state = 'WA'")
  expect(found).toEqual({ rows: manyRows })
})

test("a table that has rows keeps its indexes", async () => {
  const url = await fresh()
  await load(url, { records: { tenements: tenements(1) } })
  await load(url)
  expect(await indexesOf(url)).toEqual(migrated)
})

test("a first load that publishes nothing leaves the indexes as they were", async () => {
  const url = await fresh()
  await load(url, { dryRun: true })
  expect(await indexesOf(url)).toEqual(migrated)
})

test("a session that is connected can read throughout the first load", async () => {
  const url = await fresh()
  const reader = postgres(url, { max: 1, onnotice: () => {} })
  // It fails at once where it would have to wait for the load.
  await reader`set lock_timeout = '1ms'`
  let loading = true
  const loaded = load(url).finally(() => {
    loading = false
  })
  const counts = new Set<number>()
  while (loading) {
    const [found] = await reader`select count(*)::int as rows from tenements where state = 'WA'`
    counts.add(found?.rows)
  }
  await loaded
  await reader.end()
  expect([...counts].filter((rows) => rows !== 0 && rows !== manyRows)).toEqual([])
  expect(await indexesOf(url)).toEqual(migrated)
})

async function fresh(): Promise<string> {
  const database = await testDatabase()
  databases.push(database)
  return database.url
}

const load = (url: string, options: Partial<LoadRecordsOptions> = {}) =>
  loadRecords({ url, source: "sample", records: { tenements: tenements(manyRows) }, ...options })

function* tenements(count: number) {
  for (let n = 1; n <= count; n++) {
    yield { id: `WA-${n}`, tenement_id: `E ${n}`, state: "WA", holder_name: `HOLDER ${n} PTY LTD` }
  }
}

const definition = (index: Index): string => index.definition

const builtAnew = (indexes: readonly Index[]): string[] =>
  indexes.filter(({ oid }) => !migrated.some((before) => before.oid === oid)).map(definition)

const indexesOf = (url: string): Promise<Index[]> =>
  query(
    url,
    `select pg_get_indexdef(indexrelid) as definition, indexrelid::int as oid from pg_index
     where indrelid = 'tenements'::regclass order by 1`,
  )

async function query<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const sql = postgres(url, { max: 1 })
  const rows = await sql.unsafe<Row[]>(statement)
  await sql.end()
  return [...rows]
}
