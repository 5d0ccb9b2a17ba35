/** All spellings of a company's name have one key, and its distinctive words are those that few names have. */
import { expect, test } from "bun:test"
import {
  distinctiveWords,
  hasEnding,
  hasLegalForm,
  normaliseName,
  withoutBrackets,
} from "../../../src/data/resources/company-name.ts"

const spellings: string[][] = [
  ["BHP Group Limited", "B.H.P. GROUP LTD", "bhp  group, ltd.", " BHP-Group Limited "],
  [
    "Example Pty Ltd",
    "EXAMPLE PTY. LIMITED",
    "Example Proprietary Limited",
    "Example P/L",
    "EXAMPLE P / L",
  ],
  ["Smith & Sons", "SMITH AND SONS", "Smith + Sons", "Smith&Sons"],
  ["O'Brien Mining", "OBRIEN MINING", "O’Brien Mining"],
  ["Ångström Café", "ANGSTROM CAFE", "A\u030angstro\u0308m Cafe\u0301"],
  ["Gold No Liability", "GOLD NL", "Gold N.L."],
  ["Ore Corporation Inc", "ORE CORP INCORPORATED"],
  ["Copper Company", "Copper Co.", "COPPER CO"],
  ["Ｗｉｄｅ Ltd", "WIDE LTD"],
]

test.each(spellings)("%s is one company however it is spelt", (...names) => {
  expect([...new Set(names.map(normaliseName))]).toHaveLength(1)
})

test("Names of different companies have different keys", () => {
  const keys = spellings.map(([name]) => normaliseName(name ?? ""))
  expect(new Set(keys).size).toBe(spellings.length)
  expect(normaliseName("Gold Limited")).not.toBe(normaliseName("Gold Pty Limited"))
  expect(normaliseName("Unlimited Gold")).not.toBe(normaliseName("UnLtd Gold"))
  expect(normaliseName("ΛΟΓΟΣ Gold")).not.toBe(normaliseName("Gold"))
})

test("A name of punctuation only has the empty key", () => {
  for (const name of ["", " ", "...", "-,-", "''"]) expect(normaliseName(name)).toBe("")
})

test("Normalising twice changes nothing", () => {
  for (const name of spellings.flat()) {
    expect(normaliseName(normaliseName(name))).toBe(normaliseName(name))
  }
})

test("A form of incorporation shows a company, wherever in the name it is", () => {
  const companies = [
    "GOLD PTY LTD",
    "Gold P/L",
    "Gold N.L.",
    "GOLD LIMITED (ACN 001 234 567)",
    "A Co",
  ]
  expect(companies.filter((name) => !hasLegalForm(name))).toEqual([])
  const others = ["SMITH, Jane", "NLE", "Minister for Mines", "Cole", "", "PTY LTD"]
  expect(others.filter(hasLegalForm)).toEqual(["PTY LTD"])
})

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
