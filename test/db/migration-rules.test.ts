/** What the guide's page of architecture asks of a migration, as far as its text shows it. */
import { expect, test } from "bun:test"
import { programMigrations } from "../../src/db/migrate.ts"

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
