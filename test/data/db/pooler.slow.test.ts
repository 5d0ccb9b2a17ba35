/** Behind a pooler that gives each transaction another connection, no session of ours is needed or left. */
import { describe, expect, test } from "bun:test"
import { Glob } from "bun"
import postgres from "postgres"
import { changeAndConfirm } from "../../../src/data/db/confirmed-change.ts"
import { checkSchema, migrate } from "../../../src/data/db/migrate.ts"
import { databaseOfFile } from "../../support/of-file.ts"
import { pgbouncer, pgbouncerIsInstalled } from "../../support/pgbouncer.ts"
import { emptyDatabase } from "../../support/postgres.ts"
import { until } from "../../support/until.ts"
import { recordingSubscriber } from "./subscribers.ts"

const { sql, url } = await databaseOfFile(emptyDatabase())

describe.skipIf(!pgbouncerIsInstalled)("PgBouncer in transaction mode", () => {
  test("A migration through PgBouncer leaves no lock, and can be repeated", async () => {
    await using pooler = await pgbouncer(url, 3)
    for (let round = 0; round < 3; round++) {
      const all = Promise.all([1, 2, 3].map(() => migrate(pooler.url)))
      expect(await Promise.race([all.then(() => "done"), Bun.sleep(20_000)])).toBe("done")
      await checkSchema(pooler.url)
    }
    const { length } = [...new Glob("*.sql").scanSync("drizzle")]
    expect(await sql`select from drizzle.__drizzle_migrations`).toHaveLength(length)
    const locks = await sql`select from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`
    expect(locks).toHaveLength(0)
  })

  test("A change through PgBouncer waits for no confirmation, and no pooled connection listens", async () => {
    const { events, stop } = recordingSubscriber(url)
    await until(() => events.length === 1)
    await using narrow = await pgbouncer(url, 1)
    const made = await changeAndConfirm(narrow.url, async (client) => {
      await client`select pg_notify('mds_access', '7')`
      return "done"
    })
    expect(made).toEqual({ value: "done", unconfirmed: undefined })
    const pooled = postgres(narrow.url, { max: 1, fetch_types: false })
    expect([...(await pooled`select pg_listening_channels()`)]).toEqual([])
    await until(() => events.includes("changed 7"))
    await Promise.all([pooled.end(), stop()])
  })
})
