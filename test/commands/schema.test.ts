/** Only `serve`, `quickstart` and `migrate` change the schema; every other command checks it. */

import { afterAll, expect, setDefaultTimeout, test } from "bun:test"
import postgres from "postgres"
import { emptyDatabase } from "../support/postgres.ts"
import { command } from "../support/process.ts"

setDefaultTimeout(60_000)

const database = await emptyDatabase()
const sql = postgres(database.url, { max: 1, onnotice: () => {} })

afterAll(async () => {
  await sql.end()
  await database.drop()
})

const mds = (...args: string[]) => command(args, { DATABASE_URL: database.url })

test("a command but migrate, serve and quickstart changes no schema, and says what to do", async () => {
  for (const args of [
    ["account", "list"],
    ["load", "companies", "nowhere.csv"],
  ]) {
    expect(await mds(...args)).toEqual({
      exitCode: 1,
      printed: "",
      said: expect.stringMatching(/^The database has no tables yet\. Run `mds migrate` first\n$/),
    })
  }
  expect(await sql`select 1 from pg_tables where schemaname in ('public', 'drizzle')`).toHaveLength(
    0,
  )
  expect((await mds("migrate")).said).toBe("The database schema is up to date\n")
  expect((await mds("account", "list")).exitCode).toBe(0)
})
