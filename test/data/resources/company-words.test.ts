/** The distinctive part of a name, without words of many companies' names. */
import { expect, test } from "bun:test"
import {
  distinctiveWords,
  hasEnding,
  withoutBrackets,
} from "../../../src/data/resources/company-name.ts"

test.each([
  ["Ore Minerals Limited", "ORE MINERALS"],
  ["The Ore Minerals Holdings (Australia) Pty. Ltd.", "ORE MINERALS"],
  ["Ore Group Minerals N.L.", "ORE GROUP MINERALS"],
  ["Ore Minerals P/L", "ORE MINERALS"],
  ["The Group Limited", ""],
  ["...", ""],
])("The distinctive words of %s are %s", (name, words) => {
  expect(distinctiveWords(name).join(" ")).toBe(words)
})

test("Matching brackets are removed with their content, and unmatched ones are kept", () => {
  expect(withoutBrackets("Ore (East (Two)) Pty (No 1) Ltd").replace(/ +/g, " ")).toBe(
    "Ore (East ) Pty Ltd",
  )
  expect(withoutBrackets("Ore (East Pty Ltd")).toBe("Ore (East Pty Ltd")
})

test("A company's name has an ending, and a person's has none", () => {
  expect(["ORE, PITS LTD", "Ore N.L.", "Ore Holdings"].map(hasEnding)).toEqual([true, true, true])
  expect(["STONE, Ann", "Department of Mines", ""].map(hasEnding)).toEqual([false, false, false])
})
