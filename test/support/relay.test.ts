/** The relay counts exactly what clients send to PostgreSQL and to Redis. */
import { expect, test } from "bun:test"
import postgres from "postgres"
import { testDatabase } from "./postgres.ts"
import { relayTo, statementObserver } from "./relay.ts"

test("each run of a prepared statement is seen, with its text", async () => {
  const database = await testDatabase()
  const url = new URL(database.url)
  const seen: string[] = []
  const relay = await relayTo(
    { hostname: url.hostname, port: Number(url.port) },
    statementObserver((text) => seen.push(text)),
  )
  url.port = String(relay.port)
  const sql = postgres(url.href, { max: 1, fetch_types: false })
  try {
    for (const n of [1, 2, 3]) {
      const [row] = await sql`select count(*)::int + ${n} as sum from releases`
      expect(row?.sum).toBe(n)
    }
    // Longer than a packet, so that its message comes in several chunks.
    const long = "x".repeat(300_000)
    const [row] = await sql`select length(${long}) as length`
    expect(row?.length).toBe(300_000)
  } finally {
    await sql.end({ timeout: 1 })
    relay.stop()
    await database.drop()
  }
  expect(seen).toEqual([
    ...Array(3).fill("select count(*)::int + $1 as sum from releases"),
    "select length($1) as length",
  ])
})
