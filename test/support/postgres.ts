/**
 * The tests' databases: one PostgreSQL for the whole run, and a database for each test file.
 *
 * `bun test --parallel` runs the files in several worker processes. Each finds the server by the run's
 * process id in its directory's name, and a process of its own owns it: shared-postgres.ts.
 */
import { setDefaultTimeout } from "bun:test"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import postgres from "postgres"
import { runningServer } from "../../src/system/embedded/postmaster.ts"
import { startEmbedded } from "../../src/system/embedded/server.ts"
import { copyCluster, scratchDirectory } from "./scratch.ts"
import { until } from "./until.ts"

// Of a file that runs alone, as `bun run verify` does for all: a busy machine takes its time.
setDefaultTimeout(60_000)

export type TestDatabase = Awaited<ReturnType<typeof create>>

/** What databases begin with. It is made once in a run, as a template of that name. */
export interface Contents {
  name: string
  /** What was there before. */
  base: string | Contents
  /** @returns a note for all databases of these contents; without one, that of the base holds */
  fill: (url: string) => Promise<string | undefined>
}

// Any number, the same for all processes that build a template.
const TEMPLATE_LOCK = 1

const NOTHING = "template0"

/** All migrations applied. */
export const migrated: Contents = {
  name: "migrated",
  base: NOTHING,
  fill: async (url) => {
    const { migrate } = await import("../../src/data/db/migrate.ts")
    await migrate(url)
    return undefined
  },
}

/** A database of its own, with all migrations applied or more. Call it in `beforeAll`. */
export function testDatabase(contents = migrated): Promise<TestDatabase> {
  return create(contents)
}

/** A database of its own without any tables of ours. Call it in `beforeAll`. */
export function emptyDatabase(): Promise<TestDatabase> {
  return create(NOTHING)
}

async function create(contents: string | Contents) {
  const server = await serverOfThisRun()
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`
  let note = ""
  await asAdministrator(server, async (sql) => {
    const template = await templateOf(contents, server, sql)
    note = await noteOn(template, sql)
    // A third of the time that the default strategy takes, which writes every page to the log too.
    await sql`create database ${sql(name)} template ${sql(template)} strategy file_copy`
  })
  return {
    url: databaseUrl(server, name),
    /** The result of the function that filled it. */
    note,
    /** Deletes it and ends its connections. For `afterAll`; the end of the run deletes any left. */
    drop: () =>
      asAdministrator(server, async (sql) => {
        await sql`drop database if exists ${sql(name)} with (force)`
      }),
  }
}

/** The process that was started as `bun test`: a worker's parent, or this one where there are none. */
const runId = process.env.BUN_TEST_WORKER_ID === undefined ? process.pid : process.ppid

/** The owner of the shared server deletes it when the run has ended, however it ends. */
export const runDirectory = join(scratchDirectory, `mds-test-${runId}`)

let found: Promise<string> | undefined

const serverOfThisRun = (): Promise<string> => {
  found ??= findServer()
  return found
}

async function findServer(): Promise<string> {
  const isReady = () => runningServer(join(runDirectory, "cluster"))?.isReady === true
  if (!isReady()) startServer()
  // On a busy machine it takes long to make a cluster.
  await until(isReady, 120_000)
  const { url } = await startEmbedded(runDirectory)
  return url
}

function startServer(): void {
  const program = Bun.fileURLToPath(new URL("shared-postgres.ts", import.meta.url))
  const owner = [process.execPath, program, runDirectory, String(runId)]
  // Through a shell that ends at once, because `bun test` kills its children when a test takes too long.
  Bun.spawnSync(["/bin/sh", "-c", '"$@" & exec 2>&-', "mds-test", ...owner], {
    stdio: ["ignore", "ignore", "inherit"],
    detached: true,
  })
}

/**
 * Makes a data directory for an embedded server of the test's own, as a first start would, but with
 * a copy of a cluster that is made once in a run: to make one takes a second or more.
 */
export async function embeddedDirectory(directory: string): Promise<string> {
  await serverOfThisRun()
  mkdirSync(directory, { recursive: true, mode: 0o711 })
  copyCluster(join(runDirectory, "pristine"), directory)
  return directory
}

/** Fills a database of a server of the test's own. @returns the note */
export async function fillWith(contents: string | Contents, url: string): Promise<string> {
  if (typeof contents === "string") return ""
  const before = await fillWith(contents.base, url)
  return (await contents.fill(url)) ?? before
}

/** The template of these contents, made where it is missing. */
async function templateOf(
  contents: string | Contents,
  server: string,
  sql: postgres.Sql,
): Promise<string> {
  if (typeof contents === "string") return contents
  const { name } = contents
  const isReady = async () =>
    (await sql`select 1 from pg_database where datname = ${name}`).length > 0
  if (await isReady()) return name
  await sql`select pg_advisory_lock(${TEMPLATE_LOCK})`
  try {
    if (!(await isReady())) await makeTemplate(contents, server, sql)
  } finally {
    await sql`select pg_advisory_unlock(${TEMPLATE_LOCK})`
  }
  return name
}

async function makeTemplate(
  { name, base, fill }: Contents,
  server: string,
  sql: postgres.Sql,
): Promise<void> {
  const template = await templateOf(base, server, sql)
  // Under another name first, so that what fails half-way leaves nothing that looks ready.
  await sql`drop database if exists unfinished with (force)`
  await sql`create database unfinished template ${sql(template)}`
  const note = (await fill(databaseUrl(server, "unfinished"))) ?? (await noteOn(template, sql))
  await sql.unsafe(`comment on database unfinished is '${note.replaceAll("'", "''")}'`)
  await sql`alter database unfinished rename to ${sql(name)}`
}

async function noteOn(template: string, sql: postgres.Sql): Promise<string> {
  const [found] = await sql`
    select coalesce(shobj_description(oid, 'pg_database'), '') as note
    from pg_database where datname = ${template}`
  return found?.note ?? ""
}

let administrator: postgres.Sql | undefined
let lastWork: Promise<unknown> = Promise.resolve()

/** On one connection for all of this process, in turn: a new one takes longer than most of the work. */
function asAdministrator(
  server: string,
  work: (sql: postgres.Sql) => Promise<void>,
): Promise<void> {
  administrator ??= postgres(databaseUrl(server, "postgres"), { max: 1, onnotice: () => {} })
  const sql = administrator
  const done = lastWork.then(() => work(sql))
  lastWork = done.catch(() => {})
  return done
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
