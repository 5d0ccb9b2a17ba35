/** A generated subsidiary id depends only on the parent and the normalised name. */
import { expect, test } from "bun:test"
import { subsidiaryId } from "../../../src/ingest/sources/subsidiary-id.ts"

test("All spellings of one name under one parent have one id", () => {
  const id = "QZA-NORTH-AND-SONS-PTY-LTD"
  expect(subsidiaryId("QZA", "North & Sons Pty. Limited")).toBe(id)
  expect(subsidiaryId("qza", "NORTH AND SONS P/L")).toBe(id)
  expect(subsidiaryId("QZB", "NORTH AND SONS P/L")).not.toBe(id)
})

test("Every id is safe in a path, short enough, and differs for names that ASCII letters cannot distinguish", () => {
  const names = [
    "矿业 Ltd",
    "金属 Ltd",
    "...",
    "!!!",
    `${"Long ".repeat(40)}A`,
    `${"Long ".repeat(40)}B`,
  ]
  const ids = names.map((name) => subsidiaryId("QZAXYZ", name))
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9._~-]{1,100}$/)
  expect(new Set(ids).size).toBe(names.length)
})
