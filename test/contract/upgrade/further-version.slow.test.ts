/**
 * A later version with a further migration, a new computed column and a better rule upgrades a database that 1.0.0
 * filled, while the version before serves.
 */
import { expect, test } from "bun:test"
import { version } from "../../../src/program.ts"
import { databaseOfFile, directoryOfFile } from "../../support/of-file.ts"
import { testDatabase } from "../../support/postgres.ts"
import { command, serviceProcess } from "../../support/process.ts"
import { testService } from "../../support/service.ts"
import { readList } from "../bodies.ts"
import { contractTime } from "../recorded/contract-data.ts"
import { databaseOf10, tokensOf10 } from "./database-of-1-0.ts"
import { furtherVersion, makeFurtherVersion } from "./further-version.ts"
import { atPastReleases, noticed } from "./recorded-requests.ts"

const database = await testDatabase(databaseOf10)
const env = { DATABASE_URL: database.url }
const { sql } = await databaseOfFile(Promise.resolve(database))
const program = makeFurtherVersion(directoryOfFile())

test("A later version adds a computed column and publishes what its better rule changes, while the version before serves", async () => {
  await command(["migrate"], env)
  await using before = await testService({ beside: { database }, now: contractTime })
  const [{ newest, migrations } = { newest: 0, migrations: 0 }] = await sql`
    select max(id) as newest, (select count(*)::int from drizzle.__drizzle_migrations) as migrations
    from releases`
  const changing = await sql`select id from tenements where holder_name ~* '\\mplc\\M' order by id`
  expect(changing.length).toBeGreaterThan(3)
  expect(await noticed(before.url, atPastReleases)).toEqual([])

  const migrated = await command(["migrate"], env, program)
  expect({ ...migrated, stderr: migrated.stderr.split("\n", 1) }).toEqual({
    exitCode: 0,
    stdout: `Published as release ${newest + 1}: ${changing.length} records changed\n`,
    stderr: [
      `Migrating the database of version ${version} to version ${furtherVersion}: ` +
        `migration ${String(migrations).padStart(4, "0")}, holder_counts, names`,
    ],
  })
  const uncounted = await sql`select id from tenements
    where holder_count <> coalesce(cardinality(string_to_array(holder_name, '; ')), 0)`
  expect([...uncounted]).toEqual([])

  await using after = await serviceProcess(env, program)
  const changed = await readList(
    await after.get(`/tenements?updated_since=${newest}&per_page=100`, tokensOf10.standard),
  )
  expect(changed.data.map(({ id }) => id)).toEqual(changing.map(({ id }) => id))
  const found = await after.get("/tenements?held_by=Daridane+Mining+Limited", tokensOf10.standard)
  expect((await readList(found)).data.map(({ holder_name }) => holder_name)).toContain(
    "DARIDANE MINING PLC",
  )
  expect(await noticed(after.url, atPastReleases)).toEqual([])
  expect(await noticed(before.url, atPastReleases)).toEqual([])
  expect((await before.get("/tenements")).headers.get("x-data-release")).toBe(String(newest + 1))
})

test("Then the version before does not start, and names the cure", async () => {
  expect(await command(["serve"], env)).toEqual({
    exitCode: 1,
    stdout: "",
    stderr:
      `This database was written by version ${furtherVersion} of the program, and this is version ${version}: ` +
      `run version ${furtherVersion}, or restore the backup from before the upgrade\n`,
  })
})
