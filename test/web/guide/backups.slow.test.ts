/** Runs the guide's commands for a backup and its restore, and compares the databases. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import postgres from "postgres"
import { checkSchema } from "../../../src/data/db/migrate.ts"
import { directoryOfFile } from "../../support/of-file.ts"
import { fillWith } from "../../support/postgres.ts"
import { awkwardPublished } from "../../support/service.ts"
import {
  reportIfWithoutPostgres,
  type SystemPostgres,
  systemPostgres,
  systemPostgresIsInstalled,
  systemPrograms,
} from "../../support/system-postgres.ts"

reportIfWithoutPostgres(import.meta.path)

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

test.skipIf(!systemPostgresIsInstalled)("The guide's pg_dump and pg_restore", async () => {
  const guide = await Bun.file(new URL("../../../src/web/guide/backups.md", import.meta.url)).text()
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
