import { afterAll, beforeAll, expect, test } from "bun:test"
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { LoadSummary } from "../../src/loading/summary.ts"
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
    env: { PATH: process.env.PATH, DATABASE_URL: database.url, DATA_DIR: join(directory, "data") },
    stdout: "pipe",
    stderr: "pipe",
  })
  const [stdout, stderr] = [await child.stdout.text(), await child.stderr.text()]
  return { stdout, stderr, code: await child.exited }
}

const header = "asx_code,company_name,is_active\n"

test("with --json standard output is the summary alone", async () => {
  writeFileSync(join(directory, "good.csv"), `${header}QZA,Alpha,true\nQ,Short,true\n`)
  const { stdout, code } = await load("companies", "good.csv", "--json", "--rejects-dir", directory)
  const summary: LoadSummary = JSON.parse(stdout)
  expect(summary).toMatchObject({ source: "companies", release: 1, dryRun: false })
  expect(summary.files[0]).toMatchObject({ read: 2, accepted: 1, rejected: 1 })
  expect(readdirSync(directory)).toContain(String(summary.rejectsFile).replace(/.*\//, ""))
  expect(code).toBe(0)
}, 30_000)

test("a refused load writes nothing to standard output, and the reason to standard error", async () => {
  writeFileSync(join(directory, "bad.csv"), "Bad Gateway")
  const { stdout, stderr, code } = await load("companies", "bad.csv", "--json")
  expect(stdout).toBe("")
  expect(stderr).toContain("Cannot read bad.csv: it looks like an error message")
  expect(code).toBe(1)
}, 30_000)

test("--max-rejects is the number of rejected rows allowed", async () => {
  const refused = await load("companies", "good.csv", "--max-rejects", "0")
  expect(refused.stderr).toContain("Too many rejected rows: 1 of 2")
  expect(refused.code).toBe(1)
  const odd = await load("companies", "good.csv", "--max-rejects", "few")
  expect(odd.stderr).toContain("Must be a non-negative integer")
}, 30_000)

test("--rejects-dir is created when a row is rejected, and not before", async () => {
  const made = join(directory, "made", "here")
  await load("companies", "good.csv", "--dry-run", "--rejects-dir", made, "--max-rejects", "0")
  expect(readdirSync(made)).toHaveLength(1)
  writeFileSync(join(directory, "best.csv"), `${header}QZA,Alpha,true\n`)
  const unmade = join(directory, "unmade")
  expect((await load("companies", "best.csv", "--rejects-dir", unmade)).code).toBe(0)
  expect(existsSync(unmade)).toBe(false)
}, 30_000)

test("--no-unlinked is still accepted, and writes no file", async () => {
  const rows = "id,tenement_id,state,holder_name\nT1,E1/1,WA,Nobody Pty Ltd\n"
  writeFileSync(join(directory, "held.csv"), rows)
  const before = readdirSync(directory)
  expect((await load("tenements", "held.csv", "--no-unlinked")).code).toBe(0)
  expect(readdirSync(directory)).toEqual(before)
}, 30_000)
