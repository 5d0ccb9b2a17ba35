/** Runs the guide's commands for a backup and its restore, and compares the databases. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { renameSync } from "node:fs"
import { join } from "node:path"
import postgres from "postgres"
import { checkSchema } from "../../../src/data/db/migrate.ts"
import { databaseOf10 } from "../../contract/upgrade/database-of-1-0.ts"
import { makeFurtherVersion } from "../../contract/upgrade/further-version.ts"
import { atPastReleases, noticed } from "../../contract/upgrade/recorded-requests.ts"
import { directoryOfFile } from "../../support/of-file.ts"
import { fillWith } from "../../support/postgres.ts"
import { command, serviceProcess } from "../../support/process.ts"
import { awkwardPublished } from "../../support/service.ts"
import { reportSkipped } from "../../support/supervised.ts"
import {
  type SystemPostgres,
  systemPostgres,
  systemPostgresIsInstalled,
  systemPrograms,
} from "../../support/system-postgres.ts"

if (!systemPostgresIsInstalled) reportSkipped(import.meta.path, "postgresql")

let server: SystemPostgres
const directory = directoryOfFile()

beforeAll(async () => {
  if (!systemPostgresIsInstalled) return
  server = await systemPostgres()
})

afterAll(async () => {
  if (!systemPostgresIsInstalled) return
  await server.stop()
})

/** Rows by table, and values of sequences. */
async function contentsOf(url: string): Promise<Record<string, unknown>> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const contents: Record<string, unknown> = {}
  const tables = await sql`select tablename as name from pg_tables where schemaname = 'public'`
  for (const { name } of tables) {
    contents[name] = (await sql`select t::text from ${sql(name)} t order by 1`).map(({ t }) => t)
  }
  contents.sequences = (
    await sql`select sequencename, last_value from pg_sequences order by 1`
  ).map((row) => ({ ...row }))
  await sql.end({ timeout: 1 })
  return contents
}

const guide = await Bun.file(new URL("../../../src/web/guide/backups.md", import.meta.url)).text()

test.skipIf(!systemPostgresIsInstalled)("The guide's pg_dump and pg_restore", async () => {
  const commandOf = (program: string) => new RegExp(`^${program} .*$`, "m").exec(guide)?.[0] ?? ""
  const run = (command: string, url: string) => {
    const { success, stderr } = Bun.spawnSync(["sh", "-c", command], {
      cwd: directory,
      env: { PATH: `${systemPrograms}:${process.env.PATH}`, DATABASE_URL: url },
    })
    expect([command, success, `${stderr}`]).toEqual([command, true, ""])
  }
  await fillWith(awkwardPublished, server.url)
  const restored = await server.database("restored")
  run(commandOf("pg_dump"), server.url)
  run(commandOf("pg_restore"), restored)

  await checkSchema(restored)
  const contents = await contentsOf(server.url)
  expect(contents.reports).not.toEqual([])
  expect(await contentsOf(restored)).toEqual(contents)
})

test.skipIf(!systemPostgresIsInstalled)(
  "The guide's upgrade of the embedded PostgreSQL, here from a version of the system's packages",
  async () => {
    const old = await systemPostgres()
    await using _ = { [Symbol.asyncDispose]: old.stop }
    const DATA_DIR = old.directory
    await Bun.write(join(DATA_DIR, "password"), "secret")
    const [, section = ""] = /^## The embedded PostgreSQL\n(.*?)^## /ms.exec(guide) ?? []
    const [, dump = "", restore = ""] = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(
      ([, commands = ""]) => commands.replaceAll("DATA_DIR", DATA_DIR),
    )
    const run = (commands: string) => {
      const env = { PATH: `${systemPrograms}:${process.env.PATH}` }
      const { exitCode, stderr } = Bun.spawnSync(["sh", "-ec", commands], { cwd: directory, env })
      if (exitCode !== 0) throw new Error(`${commands}\n${stderr}`)
    }
    const program = makeFurtherVersion(directoryOfFile())
    const settings = { DATA_DIR, DATABASE_URL: "" }
    await databaseOf10.fill(old.url.replace(/mds$/, "postgres"))
    run(dump)
    await old.end()
    const { exitCode, stderr } = await command(["serve"], settings, program)
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining("database files are incompatible with server"),
    ])
    for (const part of ["cluster", "password"]) {
      renameSync(join(DATA_DIR, part), join(DATA_DIR, `earlier-${part}`))
    }
    await using empty = await serviceProcess(settings, program)
    run(restore)
    await empty.stop()
    expect(await command(["migrate"], settings, program)).toMatchObject({ exitCode: 0 })
    await using service = await serviceProcess(settings, program)
    expect(await noticed(service.url, atPastReleases)).toEqual([])
  },
)
