/** What the guide's page of architecture asks of a migration. */
import { expect, test } from "bun:test"
import postgres from "postgres"
import { applyMigrations, programMigrations } from "../../src/db/migrate.ts"
import { emptyDatabase } from "../support/postgres.ts"

/** Those before were written for a service that was stopped for its upgrade. */
const first = 13

const contracts =
  /\bDROP (TABLE|COLUMN|FUNCTION|TRIGGER|TYPE)\b|\bRENAME\b|\bSET NOT NULL\b|\bALTER COLUMN \S+ (SET DATA )?TYPE\b/i

/** A column that the migration itself adds takes nothing away by being required. */
const withoutAdded = (text: string): string =>
  [...text.matchAll(/ADD COLUMN "(\w+)"/g)].reduce(
    (rest, [, column]) => rest.replaceAll(`ALTER COLUMN "${column}" SET NOT NULL`, ""),
    text,
  )

/** The number of the migration from which on no version of the program uses what is taken away. */
const unusedSince = /^-- Contracts: unused since (\d{4})$/m

test("a migration only adds, or says since which one nothing uses what it takes away", () => {
  for (const [number, { sql }] of programMigrations().entries()) {
    const text = sql.join("\n")
    if (number < first || !contracts.test(withoutAdded(text))) continue
    const since = Number(unusedSince.exec(text)?.[1] ?? Number.NaN)
    expect([number, since < number]).toEqual([number, true])
  }
})

/** Tables whose rows a migration writes again all the same: the guide says why. */
const rewritten: Readonly<Record<number, string[]>> = { 16: ["releases"] }

test("a migration does not write the rows of a table again, as a default that is not constant does", async () => {
  const database = await emptyDatabase()
  const sql = postgres(database.url, { max: 1, onnotice: () => {} })
  const files = async () => {
    const tables = await sql<{ name: string; file: number }[]>`
      select relname as name, relfilenode as file from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`
    return new Map(tables.map(({ name, file }) => [name, file]))
  }
  try {
    for (const [number, migration] of programMigrations().entries()) {
      const before = await files()
      await sql.begin((tx) => applyMigrations(tx, [migration]))
      if (number < first) continue
      const after = await files()
      const changed = [...before]
        .filter(([name, file]) => after.has(name) && after.get(name) !== file)
        .map(([name]) => name)
      expect([number, changed]).toEqual([number, rewritten[number] ?? []])
    }
  } finally {
    await sql.end({ timeout: 1 })
    await database.drop()
  }
})
