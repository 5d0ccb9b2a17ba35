import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { LoadSummary } from "../../src/releases/summary.ts"
import { type TestDatabase, testDatabase } from "../support/postgres.ts"

const main = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url))

let database: TestDatabase
let directory: string
beforeAll(async () => {
  database = await testDatabase()
  directory = mkdtempSync(join(tmpdir(), "mds-command-"))
})
afterAll(async () => {
  await database.drop()
  rmSync(directory, { recursive: true, force: true })
})

/** Runs `load` in the directory of the test's files. */
async function load(...args: string[]) {
  const child = Bun.spawn([process.execPath, main, "load", ...args], {
    cwd: directory,
    env: { PATH: process.env.PATH, DATABASE_URL: database.url },
    stdout: "pipe",
    stderr: "pipe",
  })
  const [stdout, stderr] = [await child.stdout.text(), await child.stderr.text()]
  return { stdout, stderr, code: await child.exited }
}

const header = "asx_code,company_name,is_active\n"

test("with --json the summary is all that stands on standard output", async () => {
  writeFileSync(join(directory, "good.csv"), `${header}QZA,Alpha,true\nQ,Short,true\n`)
  const { stdout, code } = await load("companies", "good.csv", "--json", "--rejects-dir", directory)
  const summary: LoadSummary = JSON.parse(stdout)
  expect(summary).toMatchObject({ source: "companies", release: 1, dryRun: false })
  expect(summary.files[0]).toMatchObject({ read: 2, accepted: 1, rejected: 1 })
  expect(readdirSync(directory)).toContain(String(summary.rejectsFile).replace(/.*\//, ""))
  expect(code).toBe(0)
}, 30_000)

test("a refusal leaves standard output empty, and the reason on standard error", async () => {
  writeFileSync(join(directory, "bad.csv"), "Bad Gateway")
  const { stdout, stderr, code } = await load("companies", "bad.csv", "--json")
  expect(stdout).toBe("")
  expect(stderr).toContain("Cannot read bad.csv: it looks like an error message")
  expect(code).toBe(1)
}, 30_000)

test("--max-rejects is the most that are let pass, and takes a whole number", async () => {
  const refused = await load("companies", "good.csv", "--max-rejects", "0")
  expect(refused.stderr).toContain("Too many rows are rejected: 1 of 2")
  expect(refused.code).toBe(1)
  const odd = await load("companies", "good.csv", "--max-rejects", "few")
  expect(odd.stderr).toContain("It is not a whole number")
}, 30_000)

test("a directory for rejected rows that is not there is told before anything is read", async () => {
  const { stderr, code } = await load("companies", "good.csv", "--rejects-dir", "nowhere")
  expect(stderr).toContain("There is no directory nowhere for rejected rows.")
  expect(code).toBe(1)
}, 30_000)

test("the holders of no company are left in a file, unless none is wanted", async () => {
  const rows = "id,tenement_id,state,holder_name\nT1,E1/1,WA,Nobody Pty Ltd\n"
  writeFileSync(join(directory, "held.csv"), rows)
  const unlinked = () => readdirSync(directory).filter((name) => name.startsWith("unlinked-"))
  await load("tenements", "held.csv", "--no-unlinked")
  expect(unlinked()).toEqual([])
  writeFileSync(join(directory, "held.csv"), rows.replace("Nobody", "Somebody"))
  const { stdout } = await load("tenements", "held.csv")
  const [file = "none"] = unlinked()
  expect(stdout).toContain(file)
  expect(await Bun.file(join(directory, file)).text()).toBe(
    "name,parent_asx_code,country,ownership_percentage,tenements\r\nSomebody Pty Ltd,,,,1\r\n",
  )
}, 30_000)
