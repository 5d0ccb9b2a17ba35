/**
 * On a full disk a load goes on, and says truly which rejected rows are in the file. The disk is a small
 * file system of the test's own, which only root may mount.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { LoadSummary } from "../../src/loading/summary.ts"
import { type CommandWorkbench, commandWorkbench } from "../commands/command-workbench.ts"
import { smallDisk } from "../faults/small-disk.ts"
import { reportSkipped } from "../support/supervised.ts"

const disk = smallDisk(1)
if (!disk) reportSkipped(import.meta.path, "the right to mount a file system")

/** Whether files can be created in the directory but not be removed. Not every kernel has that in memory. */
const keepFiles = (directory: string, on: boolean): boolean =>
  Bun.which("chattr") !== null && Bun.spawnSync(["chattr", on ? "+a" : "-a", directory]).success
const canKeepFiles = disk !== null && keepFiles(disk.path, true) && keepFiles(disk.path, false)
if (disk && !canKeepFiles) reportSkipped(import.meta.path, "directories that keep their files")

describe.skipIf(disk === null)("on a full disk", () => {
  const dataDir = disk?.path ?? ""
  const rejects = join(dataDir, "rejects")
  let bench: CommandWorkbench

  beforeAll(async () => {
    bench = await commandWorkbench()
  })
  afterEach(async () => {
    await disk?.clear()
    rmSync(rejects, { recursive: true, force: true })
    await bench.empty()
  })
  afterAll(async () => {
    await bench.close()
    disk?.remove()
  })

  const faulty = 40
  /** One good row, and faulty ones of about 600 bytes each. */
  const load = (...more: string[]) => {
    const rows = Array.from({ length: faulty }, (_, n) => `TOOLONG${n},${"x".repeat(500)},true\n`)
    const path = bench.file(
      "rows.csv",
      `asx_code,company_name,is_active\nQZA,A,true\n${rows.join("")}`,
    )
    return bench.run(["load", "companies", path, ...more], { dataDir })
  }

  test("a file of which not even a row can be written is removed, and not named as the rows' place", async () => {
    await disk?.fill(0)
    const { code, stdout, stderr } = await load()
    expect(stdout).toContain("Published as release 1")
    expect(stdout).not.toContain("Rejected rows are in")
    expect(stdout).toContain(
      `The rejected rows could not be written to ${rejects}: no space left on device\n`,
    )
    expect(stderr).toContain(
      `Cannot write rejected rows to ${rejects}: no space left on device; the first of them are listed here instead\n`,
    )
    expect(stderr.match(/Rejected: /g)).toHaveLength(10)
    expect(existsSync(rejects) ? readdirSync(rejects) : []).toEqual([])
    expect(code).toBe(0)
  })

  test.skipIf(!canKeepFiles)(
    "a file without a row that cannot be removed is not named as the rows' place either",
    async () => {
      await disk?.fill(0)
      mkdirSync(rejects)
      keepFiles(rejects, true)
      const { code, stdout, stderr } = await load().finally(() => keepFiles(rejects, false))
      const [name = ""] = readdirSync(rejects)
      expect(stdout).toContain(
        `The rejected rows could not be written to ${rejects}: no space left on device\n`,
      )
      expect(stdout).not.toContain(name)
      expect(stderr).toContain(
        `Cannot remove ${join(rejects, name)}, which has no row: permission denied\n`,
      )
      expect(code).toBe(0)
    },
  )

  test("a file that fills the disk ends in a whole row, and the load says how many it has", async () => {
    await disk?.fill(3 * 4096)
    const { code, stdout, stderr } = await load()
    const [name = ""] = readdirSync(rejects)
    const rows = readFileSync(join(rejects, name), "utf8").trimEnd().split("\n")
    expect(rows.map((row) => JSON.parse(row).line)).toEqual(rows.map((_, n) => n + 3))
    expect(rows.length).toBeLessThan(faulty)
    expect(stdout).toContain("Published as release 1")
    expect(stdout).toContain(
      `Only the first ${rows.length} of ${faulty} rejected rows are in ${join(rejects, name)}: no space left on device\n`,
    )
    expect(stderr).toContain(
      `Cannot write more rejected rows to ${join(rejects, name)}: no space left on device; the first of the others are listed here instead\n`,
    )
    expect(stderr).toContain(`Rejected: rows.csv, line ${rows.length + 3}: `)
    expect(code).toBe(0)
  })

  test("with --json the summary says how many rows the file lacks, and why", async () => {
    await disk?.fill(3 * 4096)
    const summary: LoadSummary = JSON.parse((await load("--json")).stdout)
    const rows = readFileSync(summary.rejectsFile ?? "", "utf8")
      .trimEnd()
      .split("\n")
    expect(summary.rejectsRows).toBe(rows.length)
    expect(summary.rejectsLost).toEqual({
      directory: rejects,
      rows: faulty - rows.length,
      reason: "no space left on device",
    })
  })

  test("a load that is refused for its rejected rows does not say that all are in the file", async () => {
    await disk?.fill(3 * 4096)
    const { code, stderr } = await load("--max-rejects", "39")
    const [name = ""] = readdirSync(rejects)
    const rows = readFileSync(join(rejects, name), "utf8").trimEnd().split("\n").length
    expect(stderr).not.toContain("All are in")
    expect(stderr).toContain(
      `Only the first ${rows} of ${faulty} rejected rows are in ${join(rejects, name)}: no space left on device`,
    )
    expect(code).toBe(1)
    expect(await bench.releases()).toBe(0)
  })
})
