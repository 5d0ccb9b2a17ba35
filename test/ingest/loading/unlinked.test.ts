/**
 * The file of unlinked holders, once completed, loads as subsidiaries and links their tenements.
 */
import { beforeEach, expect, test } from "bun:test"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readUnlinked, subsidiariesCsv } from "../../../src/ingest/loading/unlinked.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()
const path = join(bench.directory, "unlinked.csv")
beforeEach(async () => {
  rmSync(path, { force: true })
  await bench.companies("QZA,Quarry Alpha Limited,true")
})

const tenements = `id,tenement_id,state,holder_name
t1,E 1,WA,QUARRY ALPHA LTD
t2,E 2,WA,"Quarry Pits Pty. Limited; Quarry Alpha Ltd"
t3,E 3,WA,QUARRY PITS PTY LTD
t4,E 4,WA,"QUARRY PITS PTY LTD; Quarry Pits P/L"
t5,E 5,WA,"=Odd, ""Name"" Pty Ltd"
t6,E 6,WA,
t7,E 7,WA,---
`

/** Loads the tenements, and writes the list. Returns how many holders it has. */
async function listAfter(content: string | readonly string[]): Promise<number> {
  await bench.load("tenements", content)
  const holders = await readUnlinked(bench.url)
  writeFileSync(
    path,
    subsidiariesCsv(
      holders.map((holder) => ({ ...holder })),
      ["tenements"],
    ),
  )
  return holders.length
}

test("Unlinked holders are written most frequent first, in their most common spelling", async () => {
  expect(await listAfter(tenements)).toBe(2)
  expect(readFileSync(path, "utf8")).toBe(
    [
      "name,parent_asx_code,country,ownership_percentage,tenements",
      "QUARRY PITS PTY LTD,,,,3",
      '"\'=Odd, ""Name"" Pty Ltd",,,,1',
      "",
    ].join("\r\n"),
  )
})

test("A row with an id and no parent is rejected, not left out", async () => {
  const rows = "id,name,parent_asx_code\ns1,Quarry Pits,\ns2,Quarry Works,QZA\n"
  expect((await bench.load("subsidiaries", rows)).files[0]?.rejected).toBe(1)
  expect(bench.rejects()[0]?.reason).toStartWith("parent_asx_code")
})

test("Loading the completed file links every name", async () => {
  const names = [
    "=1+1",
    "+61 PTY LTD",
    "-DASH PTY LTD",
    "@AT PTY LTD",
    "\tTAB PTY LTD",
    "'APOSTROPHE PTY LTD",
    "''=TWO PTY LTD",
    'SAID "SO" PTY LTD',
    "COMMA, PTY LTD",
    "TWO\nLINES PTY LTD",
    "TWO\r\nMORE PTY LTD",
    "007",
    "TRUE",
    "2020-01-01",
    "É PTY LTD",
    "ЖЖ",
  ]
  const lines = names.map((name, index) =>
    JSON.stringify({ id: `t${index}`, tenement_id: "E 1", state: "WA", holder_name: name }),
  )
  writeFileSync(join(bench.directory, "names.ndjson"), `${lines.join("\n")}\n`)
  expect(await listAfter([join(bench.directory, "names.ndjson")])).toBe(names.length)
  writeFileSync(path, readFileSync(path, "utf8").replaceAll(",,,,1\r\n", ",QZA,,,1\r\n"))
  const after = await bench.load("subsidiaries", [path], { partial: true })
  expect(after.links).toMatchObject({ linked: names.length, unlinked_holders: 0 })
  const stored = await bench.sql`select name from subsidiaries`
  expect(new Set(stored.map(({ name }) => name))).toEqual(new Set(names.map((name) => name.trim())))
})
