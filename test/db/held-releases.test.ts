import { expect, test } from "bun:test"
import postgres from "postgres"
import { keepHolding } from "../../src/db/held-releases.ts"
import { createPool } from "../../src/db/pool.ts"
import { testDatabase } from "../support/postgres.ts"

test("a process says which release it reads, and takes it back when it reads none or stops", async () => {
  const database = await testDatabase()
  const sql = postgres(database.url, { max: 1, onnotice: () => {} })
  const pool = createPool(database.url, {
    name: "held releases test",
    connections: 1,
    queueLength: 10,
    statementTimeoutMs: 10_000,
  })
  const held = async () => (await sql`select release from held_releases`).map((row) => row.release)
  const failures: unknown[] = []
  const states: unknown[] = []
  let oldest: number | undefined
  const holding = keepHolding(
    pool,
    () => oldest,
    (error) => failures.push(error),
  )
  for (oldest of [undefined, 7, 9, undefined, 4]) {
    await holding.report()
    states.push(await held())
  }
  await holding.stop()
  states.push(await held())
  expect(states).toEqual([[], [7], [9], [], [4], []])
  expect(failures).toEqual([])
  await pool.close()
  await sql.end()
  await database.drop()
})
