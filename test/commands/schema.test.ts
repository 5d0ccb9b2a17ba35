/** Only `serve`, `quickstart` and `migrate` change the schema; every other command checks it. */
import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { version } from "../../src/program.ts"
import { databaseOfFile, directoryOfFile } from "../support/of-file.ts"
import { emptyDatabase } from "../support/postgres.ts"
import { command } from "../support/process.ts"

const { sql, url } = await databaseOfFile(emptyDatabase())

const mds = (...args: string[]) => command(args, { DATABASE_URL: url })

test("Every command but migrate, serve and quickstart leaves the schema unchanged and names the command to run", async () => {
  for (const args of [
    ["account", "list"],
    ["load", "companies", "nowhere.csv"],
  ]) {
    expect(await mds(...args)).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringMatching(/^The database has no tables yet\. Run `mds migrate` first\n$/),
    })
  }
  expect(await sql`select 1 from pg_tables where schemaname in ('public', 'drizzle')`).toHaveLength(
    0,
  )
  expect((await mds("migrate")).stderr).toMatch(
    /^Migrating an empty database to version (\S+): migrations? 0000.*\n(Applied migration \d{4} in [\d.]+ s\n)+Migrated in [\d.]+ s\n$/,
  )
  expect((await mds("migrate")).stderr).toBe(
    `Nothing to do: the database is up to date with version ${version}\n`,
  )
  expect((await mds("account", "list")).exitCode).toBe(0)
})

test("A command on a directory without a database creates nothing and names the cure", async () => {
  const directory = join(directoryOfFile(), "misspelt")
  expect(await command(["sources", "list"], { DATA_DIR: directory })).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: `There is no database in ${directory}: check DATA_DIR, or run \`mds migrate\` first\n`,
  })
  expect(existsSync(directory)).toBe(false)
})
