/** A pooler has a fault where it opens no session, and not where it answers with an error. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { poolerFault } from "../../../src/db/hosts/pooler.ts"
import { type TestDatabase, testDatabase } from "../../support/postgres.ts"

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})

afterAll(() => database.drop())

test("one that opens a session has none", async () => {
  expect(await poolerFault(database.url)).toBeUndefined()
})

test("nor has one that answers that it accepts no session", async () => {
  const url = new URL(database.url)
  url.pathname = "/none_of_this_name"
  expect(await poolerFault(url.href)).toBeUndefined()
})

test("one where nothing listens has one", async () => {
  expect((await poolerFault("postgres://mds@127.0.0.1:1/mds"))?.message).toBe(
    "The connection pooler does not answer",
  )
})
