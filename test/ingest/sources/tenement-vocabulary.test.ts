/** Every status and type has one definition, which the guide repeats. */
import { expect, test } from "bun:test"
import { tenementStatuses, tenementTypes } from "../../../src/ingest/sources/tenement-vocabulary.ts"

test("Every word has a definition, and is in lower case as filters expect", () => {
  for (const [word, sentence] of Object.entries({ ...tenementStatuses, ...tenementTypes })) {
    expect(word).toMatch(/^[a-z]+( [a-z]+)*$/)
    expect(sentence).toMatch(/^[A-Z].*[^.]$/)
  }
})

test("The guide's tables of statuses and types are generated from the declarations", async () => {
  const guide = await Bun.file(new URL("../../../src/web/guide/meaning.md", import.meta.url)).text()
  const [, tables] = /<!-- vocabulary -->\n([\s\S]*)\n<!-- \/vocabulary -->/.exec(guide) ?? []
  expect(tables).toBe(vocabularyTables())
})

const vocabularyTables = (): string =>
  [table("Status", tenementStatuses), table("Type", tenementTypes)].join("\n\n")

const table = (of: string, words: Readonly<Record<string, string>>): string =>
  [
    `| ${of} | Meaning |`,
    "|---|---|",
    ...Object.entries(words).map(([word, meaning]) => `| ${word} | ${meaning} |`),
  ].join("\n")
