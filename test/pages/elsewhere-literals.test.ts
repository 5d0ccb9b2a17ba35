/** Text in a line for another program reads back there as the same text, whatever it contains. */
import { expect, test } from "bun:test"
import { $ } from "bun"
import {
  formulaLiteral,
  powerQueryLiteral,
  powerQueryName,
  quotedLiteral,
  shellLiteral,
} from "../../src/pages/explore/elsewhere/literals.ts"
import { readFormulaText, readPowerQueryText, readRText } from "./literal-readers.ts"

const nasty = [
  "",
  "plain",
  `O'Brien's "Quoted" \\ Back\\\\slash`,
  "$HOME `id` $(id) !! *",
  "100% %41 %0A %s",
  "two\nlines\r\nand\ttabs",
  "#(lf) #(#)(cr) ## (",
  "\\n \\t \\u0041 \\x41 {0} {{x}}",
  '"); import os; os.system("id")  #',
  "Métaux précieux 😀 ΛΟΓΟΣ \u2028 \u00a0",
  "'; rm -rf nothing; '",
  "''\"\"''",
]

test.each(nasty)("a shell reads %j", async (text) => {
  expect(await $`bash -c ${`printf %s ${shellLiteral(text)}`}`.text()).toBe(text)
})

test.each(nasty)("Python reads %j", async (text) => {
  const program = `import sys; sys.stdout.buffer.write((${quotedLiteral(text)}).encode())`
  expect(await $`python3 -c ${program}`.text()).toBe(text)
})

test.each(nasty)("R reads %j", (text) => {
  expect(readRText(quotedLiteral(text))).toBe(text)
})

test.each(nasty)("a formula reads %j", (text) => {
  expect(readFormulaText(formulaLiteral(text))).toBe(text)
})

test.each(nasty)("Power Query reads %j, as text and as a name", (text) => {
  expect(readPowerQueryText(powerQueryLiteral(text))).toBe(text)
  expect(readPowerQueryText(powerQueryName(text).slice(1))).toBe(text)
})
