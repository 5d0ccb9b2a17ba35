/** The program upgrades a database that version 1.0.0 filled, and serves what 1.0.0 served. */
import { expect, test } from "bun:test"
import { afterFile } from "../../support/of-file.ts"
import { testDatabase } from "../../support/postgres.ts"
import { command } from "../../support/process.ts"
import { testService } from "../../support/service.ts"
import { readRecord } from "../bodies.ts"
import { contractTime } from "../recorded/contract-data.ts"
import { databaseOf10 } from "./database-of-1-0.ts"
import { atPastReleases, noticed, recorded } from "./recorded-requests.ts"

const database = await testDatabase(databaseOf10)
afterFile(database.drop)
const { exitCode, stdout, stderr } = await command(["migrate"], { DATABASE_URL: database.url })
const service = await testService({ beside: { database }, now: contractTime })
afterFile(service.stop)

test("`mds migrate` upgrades the database", () => {
  expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^(Migrating|Nothing to do: ).*\n/)])
})

test("Recorded requests get the recorded responses", async () => {
  // A release of the upgrade changes responses of the newest release.
  const expected = stdout.startsWith("Published") ? atPastReleases : recorded
  expect(await noticed(service.url, expected)).toEqual([])
})

test("Clients read on by the links that 1.0.0 gave them", async () => {
  expect(await noticed(service.url, atPastReleases)).toEqual([])
})

test("Accounts and tokens stay, and the audit log", async () => {
  const { tokens, get, sql } = service
  for (const [plan, token] of Object.entries(tokens)) {
    expect(await readRecord(await get("/usage", { token }))).toMatchObject({ plan })
  }
  expect([...(await sql`select action, count(*)::int from access_changes group by 1`)]).toEqual([
    { action: "created", count: 6 },
  ])
})
