/**
 * The tests' databases: one PostgreSQL for the whole run, and a database for each test file.
 *
 * `bun test --parallel` runs the files in several worker processes, each file with new globals, so
 * nothing can be kept in a variable. The server is found again by the run's process id in its
 * directory's name. It is adopted by each file and released by none: it stops, and deletes its
 * directory, when the last process of the run has gone, even by kill -9.
 */
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { startEmbedded } from "../../src/db/embedded/server.ts"

export type TestDatabase = {
  url: string
  /** Deletes it, ending what is still connected. For `afterAll`; forgotten ones go with the run. */
  drop(): Promise<void>
}

// Nothing of a test run has to survive a power cut.
const SETTINGS = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  shared_buffers: "128MB",
  max_connections: "200",
  autovacuum: "off",
}

const TEMPLATE = "migrated"

// Any number: it is the same for all who would build the template.
const TEMPLATE_LOCK = 1

/** A database of its own, with all migrations applied. Call it in `beforeAll`. */
export function testDatabase(): Promise<TestDatabase> {
  return create(TEMPLATE)
}

/** A database of its own without any tables of ours. Call it in `beforeAll`. */
export function emptyDatabase(): Promise<TestDatabase> {
  return create("template0")
}

async function create(template: string): Promise<TestDatabase> {
  const server = await serverOfThisRun()
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`
  await asAdministrator(server, async (sql) => {
    if (template === TEMPLATE) await ensureTemplate(server, sql)
    await sql`create database ${sql(name)} template ${sql(template)}`
  })
  const drop = () =>
    asAdministrator(server, async (sql) => {
      await sql`drop database if exists ${sql(name)} with (force)`
    })
  return { url: databaseUrl(server, name), drop }
}

/** The process that was started as `bun test`: a worker's parent, or this one where there are none. */
const runId = process.env.BUN_TEST_WORKER_ID === undefined ? process.pid : process.ppid

async function serverOfThisRun(): Promise<string> {
  const directory = join(tmpdir(), `mds-test-${runId}`)
  const { url } = await startEmbedded(directory, { settings: SETTINGS, temporary: true })
  return url
}

/** Built under another name first, so that a failed migration leaves nothing that looks ready. */
async function ensureTemplate(server: string, sql: postgres.Sql): Promise<void> {
  await sql`select pg_advisory_lock(${TEMPLATE_LOCK})`
  const ready = await sql`select 1 from pg_database where datname = ${TEMPLATE}`
  if (ready.length > 0) return
  const { migrate } = await import("../../src/db/migrate.ts")
  await sql`drop database if exists unfinished with (force)`
  await sql`create database unfinished template template0`
  await migrate(databaseUrl(server, "unfinished"))
  await sql`alter database unfinished rename to ${sql(TEMPLATE)}`
}

/** One connection, closed afterwards: that also frees the lock that `ensureTemplate` takes. */
async function asAdministrator(
  server: string,
  work: (sql: postgres.Sql) => Promise<void>,
): Promise<void> {
  const sql = postgres(databaseUrl(server, "postgres"), { max: 1, onnotice: () => {} })
  try {
    await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
