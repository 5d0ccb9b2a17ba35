/** The unlinked holders, and what they may belong to, can be listed and exported at any time. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type CommandWorkbench, commandWorkbench } from "./command-workbench.ts"
import { hasTerminals, onTerminal, reportMissingTerminals } from "./terminal-process.ts"

reportMissingTerminals(import.meta.path)

let bench: CommandWorkbench
beforeAll(async () => {
  bench = await commandWorkbench()
  await bench.load("companies", "asx_code,company_name,is_active\nQZA,Quarry Alpha,true\n")
  await bench.load("tenements", tenements)
})
afterAll(() => bench.close())

const tenements = `id,tenement_id,state,holder_name
t1,E 1,WA,QUARRY ALPHA
t2,E 2,WA,"Quarry, Pits Ltd; Somebody"
t3,E 3,WA,"QUARRY, PITS LTD"
`
const listed = [
  "name,parent_asx_code,country,ownership_percentage,tenements",
  '"QUARRY, PITS LTD",,,,2',
  "Somebody,,,,1",
  "",
].join("\r\n")

const unlinked = (...args: string[]) => bench.run(["holders", "unlinked", ...args])

test("the unlinked holders are listed at any time, as CSV where the output is no terminal", async () => {
  const { code, stdout, stderr } = await unlinked()
  expect({ code, stdout: stdout.trimEnd(), stderr }).toEqual({
    code: 0,
    stdout: listed.trimEnd(),
    stderr: "",
  })
})

test.skipIf(!hasTerminals)("on a terminal they are a table, most tenements first", async () => {
  const { child, output } = onTerminal(["holders", "unlinked"], bench.options())
  expect(await child.exited).toBe(0)
  expect(output().replaceAll("\r\n", "\n")).toBe(
    "tenements  holder\n2          QUARRY, PITS LTD\n1          Somebody\n",
  )
})

test("--csv writes a file that, parents filled in, loads as subsidiaries; and never over another", async () => {
  const path = join(bench.directory, "unlinked.csv")
  const first = await unlinked("--csv", path)
  expect(first).toEqual({ code: 0, stdout: "", stderr: `Wrote 2 holders to ${path}\n` })
  expect(readFileSync(path, "utf8")).toBe(listed)
  const second = await unlinked("--csv", path)
  expect(second).toEqual({
    code: 1,
    stdout: "",
    stderr: `Cannot write ${path}: file exists\n`,
  })
  writeFileSync(path, listed.replace("Somebody,", "Somebody,QZA"))
  const loaded = await bench.load("subsidiaries", [path], { partial: true })
  expect(loaded.links).toMatchObject({ linked: 2, unlinked_holders: 1 })
  expect((await unlinked()).stdout).not.toContain("Somebody")
})

describe("suggestions", () => {
  const suggest = (...args: string[]) => bench.run(["holders", "suggest", ...args])
  const suggested = [
    "name,parent_asx_code,country,ownership_percentage,tenements,suggested_asx_code,suggested_company,suggested_is_active,reason,similar_name",
    '"QUARRY, PITS LTD",,,,2,QZA,Quarry,true,same first words,Quarry',
    "QUARRY ALPHA,,,,1,QZA,Quarry,true,same first words,Quarry",
    "",
  ].join("\r\n")
  beforeAll(async () => {
    await bench.empty()
    await bench.load("companies", "asx_code,company_name,is_active\nQZA,Quarry,true\n")
    await bench.load("tenements", tenements)
  })

  test("are listed at any time, as CSV where the output is no terminal", async () => {
    const { code, stdout, stderr } = await suggest()
    expect({ code, stdout: stdout.trimEnd(), stderr }).toEqual({
      code: 0,
      stdout: suggested.trimEnd(),
      stderr: "",
    })
  })

  test.skipIf(!hasTerminals)("are a table on a terminal", async () => {
    const { child, output } = onTerminal(["holders", "suggest"], bench.options())
    expect(await child.exited).toBe(0)
    expect(output().replaceAll("\r\n", "\n")).toBe(
      "tenements  holder            code  company  reason\n" +
        "2          QUARRY, PITS LTD  QZA   Quarry   same first words\n" +
        "1          QUARRY ALPHA      QZA   Quarry   same first words\n",
    )
  })

  test("are written with --csv to a file that links once a parent is filled in, never over another", async () => {
    const path = join(bench.directory, "suggestions.csv")
    expect(await suggest("--csv", path)).toEqual({
      code: 0,
      stdout: "",
      stderr:
        `Wrote 2 suggestions for 2 holders to ${path}; ` +
        `fill in parent_asx_code where one is right, then run \`mds load subsidiaries ${path} --partial\`\n`,
    })
    expect(readFileSync(path, "utf8")).toBe(suggested)
    expect((await suggest("--csv", path)).stderr).toBe(`Cannot write ${path}: file exists\n`)
    const unchanged = await bench.load("subsidiaries", [path], { partial: true })
    expect(unchanged.release).toBeNull()
    writeFileSync(path, suggested.replace('LTD",,', 'LTD",QZA,'))
    const loaded = await bench.load("subsidiaries", [path], { partial: true })
    expect(loaded.links).toMatchObject({ linked: 2, through_subsidiaries: 2 })
    expect((await suggest()).stdout).not.toContain("PITS")
  })
})
