/** A file that is not whole, or not for this program, is refused before anything is changed. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { type ArchiveHead, type Entry, sections, tableData } from "../../src/backup/archive.ts"
import { backUp } from "../../src/backup/backup.ts"
import { BackupError } from "../../src/backup/backup-error.ts"
import { openOutputFile } from "../../src/backup/output-file.ts"
import { verify } from "../../src/backup/verify.ts"
import { writeArchive } from "../../src/backup/write-archive.ts"
import { silent } from "../../src/loading/progress.ts"
import { type TestService, testService } from "../support/service.ts"
import { commandsIn, contentsOf } from "./databases.ts"

setDefaultTimeout(60_000)

let service: TestService
let whole: Buffer
const { path, mds, remove } = commandsIn()

beforeAll(async () => {
  service = await testService()
  const output = await openOutputFile(path("whole"), false)
  await backUp({ url: service.database.url, progress: silent, write: output.write })
  whole = Buffer.from(await Bun.file(path("whole")).bytes())
})

afterAll(async () => {
  await service.stop()
  remove()
})

/** Why these bytes are refused. */
async function refusalOf(bytes: Uint8Array): Promise<string> {
  writeFileSync(path("tried"), bytes)
  const outcome = await verify({ name: path("tried") }, silent).catch((error: unknown) => error)
  if (outcome instanceof BackupError) return outcome.message
  throw new Error("It was not refused", { cause: outcome })
}

const because = (reason: string): string =>
  `Cannot restore ${path("tried")}: ${reason}. Nothing was changed`

test("a file that ends too early is refused, wherever it ends", async () => {
  for (let part = 0; part < 60; part++) {
    const length = Math.floor((whole.length * part) / 60)
    const reason = await refusalOf(whole.subarray(0, length))
    expect([length, reason]).toEqual([
      length,
      expect.stringMatching(/: it (is no backup|ends in the middle)/),
    ])
  }
  for (const missing of [1, 64, 74, 75, 76]) {
    expect(await refusalOf(whole.subarray(0, -missing))).toBe(
      because("it ends in the middle: it is not complete"),
    )
  }
})

test("a file with one bit turned is refused, wherever that is", async () => {
  const positions = Array.from({ length: 300 }, (_, n) =>
    n < 60 ? n : n < 140 ? whole.length - (n - 59) : Math.floor((whole.length * (n - 140)) / 160),
  )
  for (const position of positions) {
    const turned = Buffer.from(whole)
    turned[position] = (turned[position] ?? 0) ^ (1 << (position % 8))
    expect([position, await refusalOf(turned)]).toEqual([
      position,
      expect.stringContaining(". Nothing was changed"),
    ])
  }
})

test("a file with something after its end is refused", async () => {
  expect(await refusalOf(Buffer.concat([whole, Buffer.from("\n")]))).toBe(
    because("it is damaged: its contents are not those that were written"),
  )
})

test("what is no backup is refused with what one is", async () => {
  const reason = "it is no backup: neither of mds backup nor of pg_dump --format=custom"
  for (const text of ["", "PG", "CREATE TABLE companies ();", "\u001f\u008b"]) {
    expect(await refusalOf(Buffer.from(text))).toBe(because(reason))
  }
  expect(await mds(service.database.url, ["restore", "/nowhere"])).toMatchObject({
    code: 1,
    stderr: "Cannot read /nowhere: no such file\n",
  })
})

test("a backup of a newer schema is refused with the versions", async () => {
  const entry: Entry = {
    id: 1,
    kind: tableData,
    schema: "drizzle",
    name: "__drizzle_migrations",
    section: sections.data,
    definition: "",
    copy: "COPY drizzle.__drizzle_migrations (id, hash, created_at) FROM stdin;\n",
    hasData: true,
    dependencies: [],
  }
  const head: ArchiveHead = {
    madeAt: new Date(),
    database: "mds",
    serverVersion: "18",
    writer: "mds",
    entries: [entry],
  }
  const chunks: Uint8Array[] = []
  async function* rows() {
    yield "1\tab\t1\n2\tcd\t9999999999999\n\\.\n\n\n"
  }
  for await (const chunk of writeArchive(head, rows)) chunks.push(chunk)
  expect(await refusalOf(Buffer.concat(chunks))).toMatch(
    /: it is at schema version 2, which is newer than this program's version \d+\. Restore it with the program that made it, or one that is newer\. Nothing was changed$/,
  )
})

test("a damaged file changes nothing, even where all data are to be replaced", async () => {
  const before = await contentsOf(service.database.url)
  writeFileSync(path("damaged"), whole.subarray(0, -200))
  const refused = await mds(service.database.url, ["restore", "--replace", path("damaged")])
  expect(refused).toEqual({
    code: 1,
    stdout: "",
    stderr: `Cannot restore ${path("damaged")}: it ends in the middle: it is not complete. Nothing was changed\n`,
  })
  expect(await contentsOf(service.database.url)).toEqual(before)
})
