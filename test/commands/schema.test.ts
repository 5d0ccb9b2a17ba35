/** Only `serve`, `quickstart` and `migrate` change the schema; every other command checks it. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { embeddedBinaries } from "../../src/db/embedded/binaries.ts"
import { startEmbedded } from "../../src/db/embedded/server.ts"
import { serverUserFor } from "../../src/db/embedded/server-user.ts"
import { migrate } from "../../src/db/migrate.ts"
import { embeddedDirectory, emptyDatabase, type TestDatabase } from "../support/postgres.ts"
import { command, serviceProcess } from "../support/process.ts"
import { freePort, type Supervised, startSupervised } from "../support/supervised.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(60_000)

let database: TestDatabase
let sql: postgres.Sql

beforeAll(async () => {
  database = await emptyDatabase()
  sql = postgres(database.url, { max: 1, onnotice: () => {} })
})

afterAll(async () => {
  await sql.end()
  await database.drop()
})

const mds = (...args: string[]) => command(args, { DATABASE_URL: database.url })

test("a command but migrate, serve and quickstart changes no schema, and says what to do", async () => {
  for (const args of [
    ["account", "list"],
    ["token", "create", "--account", "x@example.com", "--name", "x"],
    ["load", "companies", "nowhere.csv"],
    ["releases", "prune", "--keep-days", "9"],
  ]) {
    expect(await mds(...args)).toEqual({
      exitCode: 1,
      printed: "",
      said: expect.stringMatching(
        /^The database has no tables yet, and this program needs schema version \d+\. Run `mds migrate` first\n$/,
      ),
    })
  }
  expect(await sql`select 1 from pg_tables where schemaname in ('public', 'drizzle')`).toHaveLength(
    0,
  )
  expect((await mds("migrate")).said).toBe("The database schema is up to date\n")
  expect((await mds("account", "list")).exitCode).toBe(0)
})

test("a standby is served when its schema is current", async () => {
  const directory = mkdtempSync(join(tmpdir(), "mds-standby-"))
  const dataDirectory = await embeddedDirectory(join(directory, "data"))
  const primary = await startEmbedded(dataDirectory, {
    settings: { fsync: "off", shared_buffers: "16MB", wal_level: "replica" },
  })
  await migrate(primary.url)
  const issued = await command(["token", "create", "--account", "x@example.com", "--name", "x"], {
    DATABASE_URL: primary.url,
  })
  await primary.stop()

  const standby = await startStandby(dataDirectory)
  const url = new URL(primary.url)
  url.port = String(standby.port)
  const service = await serviceProcess({ DATABASE_URL: url.href })
  const token = issued.printed.trim()
  try {
    for (const path of ["/companies", "/usage", "/companies"]) {
      expect([path, (await service.get(path, token)).status]).toEqual([path, 200])
    }
    const notRecorded = () =>
      service.logged().filter(({ event }) => String(event).includes("not recorded"))
    await until(() => notRecorded().length > 0)
    expect(notRecorded()).toMatchObject([{ level: "warn", code: "25006" }])
  } finally {
    await service.stop()
    await standby.server.end()
    rmSync(directory, { recursive: true, force: true })
  }
})

/** Starts the stopped server of an embedded data directory as a standby that stays in recovery. */
async function startStandby(dataDirectory: string): Promise<{ server: Supervised; port: number }> {
  const cluster = join(dataDirectory, "cluster")
  const { prefix } = serverUserFor(cluster, embeddedBinaries())
  writeFileSync(join(cluster, "standby.signal"), "")
  const port = freePort()
  const settings = [`port=${port}`, "unix_socket_directories=", "shared_buffers=16MB"]
  const server = await startSupervised("standby", [
    ...prefix,
    embeddedBinaries().postgres,
    "-D",
    cluster,
    ...settings.flatMap((setting) => ["-c", setting]),
  ])
  const password = await Bun.file(join(dataDirectory, "password")).text()
  const answers = async (): Promise<boolean> => {
    const client = postgres({
      host: "127.0.0.1",
      port,
      user: "mds",
      database: "postgres",
      password,
      max: 1,
    })
    try {
      const [row] = await client`select pg_is_in_recovery() as standby`
      return row?.standby === true
    } catch {
      return false
    } finally {
      await client.end({ timeout: 1 })
    }
  }
  await until(answers, 30_000)
  return { server, port }
}
