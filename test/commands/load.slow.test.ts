/** `mds load` obeys its options, and its output is fit for the next program. */
import { expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import type { LoadSummary } from "../../src/ingest/loading/summary.ts"
import { commandWorkbench } from "./command-workbench.ts"

const bench = await commandWorkbench()
const directory = bench.directory

/** Runs `load` in the directory of the test's files. */
const load = (...args: string[]) => bench.run(["load", ...args], { cwd: directory })

const header = "asx_code,company_name,is_active\n"

test("With --json standard output has only the summary", async () => {
  bench.file("good.csv", `${header}QZA,Alpha,true\nQ,Short,true\n`)
  const { stdout, code } = await load("companies", "good.csv", "--json", "--rejects-dir", directory)
  const summary: LoadSummary = JSON.parse(stdout)
  expect(summary).toMatchObject({ source: "companies", release: 1, dryRun: false })
  expect(summary.files[0]).toMatchObject({ read: 2, accepted: 1, rejected: 1 })
  expect(readdirSync(directory)).toContain(String(summary.rejectsFile).replace(/.*\//, ""))
  expect(code).toBe(0)
})

test("A refused load writes nothing to standard output, and the reason to standard error", async () => {
  bench.file("bad.csv", "Bad Gateway")
  const { stdout, stderr, code } = await load("companies", "bad.csv", "--json")
  expect(stdout).toBe("")
  expect(stderr).toContain("Cannot read bad.csv: it looks like an error message")
  expect(code).toBe(1)
})

test("The option --max-rejects sets the number of rejected rows allowed", async () => {
  const refused = await load("companies", "good.csv", "--max-rejects", "0")
  expect(refused.stderr).toContain("Too many rejected rows: 1 of 2")
  expect(refused.code).toBe(1)
})

test("The states of national files load one by one, and a refused one does not stop the others", async () => {
  const rows = (...states: string[]) =>
    `name,tenementType,status,owner,state\n${states.map((state) => `EL1,EL,granted,X,${state}\n`).join("")}`
  bench.file("view.csv", rows("NSW", "NT"))
  const loaded = await load("national", "view.csv", "--json", "--observed", "2024-06-01")
  const summaries: LoadSummary[] = loaded.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(summaries.map(({ source, changes }) => [source, changes.added])).toEqual([
    ["nsw", 1],
    ["nt", 1],
  ])
  expect(loaded.code).toBe(0)
  await load("nsw", "view.csv", "--observed", "2024-06-03")
  bench.file("next.csv", rows("NSW", "NT", "VIC"))
  const next = await load("national", "next.csv", "--observed", "2024-06-02")
  expect(next.stderr).toContain("nsw: Cannot load files of 2024-06-02")
  expect(next.stderr).toEndWith("Loads were refused: nsw\n")
  expect(next.stdout).toContain("next.csv: 3 rows read = 1 accepted + 0 rejected + 2 left out")
  expect(next.code).toBe(1)
  const { stdout } = await bench.run(["sources", "list", "--json"])
  const listed: { name: string }[] = JSON.parse(stdout)
  expect(listed.map(({ name }) => name).sort()).toEqual(["companies", "nsw", "nt", "vic"])
})
