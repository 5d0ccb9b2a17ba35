/**
 * Two versions of the service at once: that of before the newest migration goes on answering while
 * this one migrates, and afterwards beside it.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { programMigrations } from "../../src/db/migrate.ts"
import { emptyDatabase, type TestDatabase } from "../support/postgres.ts"
import { command, type ServiceProcess, serviceProcess } from "../support/process.ts"
import {
  reportIfWithoutHistory,
  type VersionBefore,
  versionBefore,
  versionBeforeIsKnown,
} from "../support/version-before.ts"

setDefaultTimeout(120_000)
reportIfWithoutHistory(import.meta.path)

let directory: string
let database: TestDatabase
let sql: postgres.Sql
const closing: (() => unknown)[] = []

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "mds-two-versions-"))
  database = await emptyDatabase()
  sql = postgres(database.url, { max: 2, onnotice: () => {} })
})

afterAll(async () => {
  for (const close of closing.reverse()) await close()
  await sql.end({ timeout: 1 })
  await database.drop()
  rmSync(directory, { recursive: true, force: true })
})

const settings = () => ({ DATABASE_URL: database.url, DATA_DIR: join(directory, "data") })

/** Runs a command of that version, which must succeed. @returns what it prints */
async function mds(args: readonly string[], program?: string): Promise<string> {
  const { exitCode, printed, said } = await command(args, settings(), program)
  if (exitCode !== 0) throw new Error(`mds ${args.join(" ")} failed: ${said}`)
  return printed.trim()
}

function companiesFile(count: number): string {
  const path = join(directory, `companies-${count}.csv`)
  const lines = Array.from(
    { length: count },
    (_, n) => `C${String(n).padStart(3, "0")},Company ${n},true`,
  )
  writeFileSync(path, ["asx_code,company_name,is_active", ...lines].join("\n"))
  return path
}

const paths = (n: number): string[] => [
  `/companies?per_page=5&page=${1 + (n % 4)}&_=${n}`,
  `/companies/C00${n % 10}`,
  `/companies?search=company%20${n % 40}`,
  `/companies?as_of=1&per_page=${1 + (n % 90)}`,
  "/releases",
  "/usage",
]

/** Asks for everything again and again until it is stopped. */
function load({ get }: ServiceProcess, token: string) {
  let stopped = false
  const statuses: Record<number, number> = {}
  let slowestMs = 0
  const ask = async (): Promise<void> => {
    for (let n = 0; !stopped; n++) {
      for (const path of paths(n)) {
        const startedMs = performance.now()
        const response = await get(path, token)
        await response.text()
        statuses[response.status] = (statuses[response.status] ?? 0) + 1
        slowestMs = Math.max(slowestMs, performance.now() - startedMs)
      }
    }
  }
  const asking = Promise.all([ask(), ask(), ask(), ask()])
  return async () => {
    stopped = true
    await asking
    return { statuses, slowestMs }
  }
}

test.skipIf(!versionBeforeIsKnown)(
  "the version before answers every request while this one migrates, and after",
  async () => {
    const before: VersionBefore = versionBefore()
    closing.push(before.remove)
    await mds(["migrate"], before.main)
    const [{ version } = {}] =
      await sql`select count(*)::int as version from drizzle.__drizzle_migrations`
    expect(version).toBeLessThan(programMigrations().length)
    await mds(["load", "companies", companiesFile(40)], before.main)
    await mds(["account", "create", "x@example.com", "--plan", "admin"], before.main)
    const token = await mds(
      ["token", "create", "--account", "x@example.com", "--name", "x"],
      before.main,
    )

    const old = await serviceProcess(settings(), before.main)
    closing.push(old.stop)
    const stopLoad = load(old, token)
    // An export, a backup or a person with psql, which reads for longer than a migration may wait.
    const reading = sql.begin(async (tx) => {
      await tx`select count(*) from releases, companies, tokens, accounts`
      await Bun.sleep(3_000)
    })
    await mds(["migrate"])
    await reading
    const current = await serviceProcess(settings())
    closing.push(current.stop)
    // Both serve what the new version loads, and tokens that are made now.
    await mds(["load", "companies", companiesFile(41)])
    const newToken = await mds(["token", "create", "--account", "x@example.com", "--name", "y"])
    for (const { get } of [old, current]) {
      const response = await get("/companies?per_page=1", newToken)
      expect([response.status, response.headers.get("x-data-release")]).toEqual([200, "2"])
      expect(((await response.json()) as { meta: { total: number } }).meta.total).toBe(41)
    }
    const { statuses, slowestMs } = await stopLoad()
    expect(Object.keys(statuses)).toEqual(["200"])
    expect(slowestMs).toBeLessThan(10_000)
    const errors = old.logged().filter(({ level }) => level === "error")
    expect(errors).toEqual([])
  },
)
