/** The load stores every character of a record unchanged, special characters included, but control characters of ASCII. */
import { expect, test } from "bun:test"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const names = [
  "\\N",
  "\\.",
  "\\",
  "a\tb\\tc",
  "one\ntwo\r\nthree\rfour\\n",
  '{"A",NULL}',
  '"quoted" \\"twice\\"',
  "NULL",
  "Zürich; 金; 🪨",
  "\u0080\u009f",
]

test("Text and the arrays made from it are stored unchanged", async () => {
  const tenements = names.map((holder_name, n) => ({
    id: `WA-${n}`,
    tenement_id: `E ${n}`,
    state: "WA",
    holder_name,
    grant_date: n % 2 ? "2020-02-29" : null,
    area_km2: n % 2 ? null : n / 3,
  }))
  const lines = tenements.map((record) => `${JSON.stringify(record)}\n`)
  await bench.load("tenements", lines.join(""))
  const stored = await bench.sql`
    select holder_name, holder_name_folded, holder_keys, grant_date::text, area_km2
    from tenements order by tenement_id`
  expect(Array.from(stored)).toEqual(
    tenements.map(({ holder_name, grant_date, area_km2 }) => ({
      holder_name,
      holder_name_folded: holder_name.toLowerCase(),
      holder_keys: keys[holder_name] ?? [],
      grant_date,
      area_km2,
    })),
  )
})

const keys: Record<string, string[]> = {
  "\\N": ["N"],
  "a\tb\\tc": ["A B TC"],
  "one\ntwo\r\nthree\rfour\\n": ["ONE TWO THREE FOUR N"],
  '{"A",NULL}': ["A NULL"],
  '"quoted" \\"twice\\"': ["QUOTED TWICE"],
  NULL: ["NULL"],
  "Zürich; 金; 🪨": ["ZURICH", "金"],
}
