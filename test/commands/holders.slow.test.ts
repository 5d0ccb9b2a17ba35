/** The unlinked holders, and what they may belong to, can be listed and exported at any time. */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { judgement } from "../../src/loading/suggestions.ts"
import { until } from "../support/until.ts"
import { commandWorkbench } from "./command-workbench.ts"
import { hasTerminals, onTerminal, reportMissingTerminals } from "./terminal-process.ts"

reportMissingTerminals(import.meta.path)

const bench = await commandWorkbench()
const tenements = `id,tenement_id,state,holder_name
t1,E 1,WA,QUARRY ALPHA
t2,E 2,WA,"Quarry, Pits Ltd; Somebody"
t3,E 3,WA,"QUARRY, PITS LTD"
`
await bench.load("companies", "asx_code,company_name,is_active\nQZA,Quarry Alpha,true\n")
await bench.load("tenements", tenements)

const listed = [
  "name,parent_asx_code,country,ownership_percentage,tenements",
  '"QUARRY, PITS LTD",,,,2',
  "Somebody,,,,1",
  "",
].join("\r\n")

const written = (path: string) =>
  `Wrote 2 rows to ${path}; fill in parent_asx_code where you know it, ` +
  `then run \`mds load subsidiaries ${path} --partial\`\n`

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

test("--csv writes a file to complete and load as subsidiaries, and overwrites none", async () => {
  const path = join(bench.directory, "unlinked.csv")
  const first = await unlinked("--csv", path)
  expect(first).toEqual({ code: 0, stdout: "", stderr: written(path) })
  expect(readFileSync(path, "utf8")).toBe(listed)
  const second = await unlinked("--csv", path)
  expect(second).toEqual({
    code: 1,
    stdout: "",
    stderr: `Cannot write ${path}: file exists\n`,
  })
  writeFileSync(path, listed.replace("Somebody,", "Somebody,QZA"))
  const loaded = await bench.load("subsidiaries", [path], { partial: true })
  expect(loaded.links).toMatchObject({ linked: 2, through_subsidiaries: 1, unlinked_holders: 1 })
  expect(loaded.files[0]).toMatchObject({
    ...{ read: 2, accepted: 1, rejected: 0 },
    left_out: { "no parent_asx_code yet": 1 },
  })
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
      "tenements  holder            code  company  is active  reason            how often          similar name\n" +
        "2          QUARRY, PITS LTD  QZA   Quarry   true       same first words  right in 24 of 50  Quarry\n" +
        "1          QUARRY ALPHA      QZA   Quarry   true       same first words  right in 24 of 50  Quarry\n",
    )
  })

  test("--csv writes them to a file that links after a parent is filled in, and overwrites none", async () => {
    const path = join(bench.directory, "suggestions.csv")
    expect(await suggest("--csv", path)).toEqual({
      code: 0,
      stdout: "",
      stderr: written(path),
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

describe("decisions", () => {
  const holders = (...args: string[]) => bench.run(["holders", ...args])
  const codes = async () =>
    (await bench.sql`select asx_codes from tenements order by id`).map(({ asx_codes }) =>
      asx_codes.join(" "),
    )
  beforeEach(async () => {
    await bench.empty()
    await bench.load(
      "companies",
      "asx_code,company_name,is_active\nQZA,Quarry,true\nQZB,Beta NL,true\n",
    )
    await bench.load("tenements", `${tenements}t4,E 4,WA,QZB PITS\nt5,E 5,WA,Beta (West)\n`)
  })

  test("link publishes a link, and decline ends it", async () => {
    const linked = await holders("link", "quarry, pits limited", "qza")
    expect(linked.code).toBe(0)
    expect(linked.stdout).toContain("= 2 linked to a company")
    expect(linked.stdout).toContain("Published as release 3")
    expect(await codes()).toEqual(["", "QZA", "QZA", "", ""])
    expect((await holders("suggest")).stdout).not.toContain("PITS LTD")
    expect((await holders("decline", "QUARRY, PITS LTD", "QZA")).stdout).toContain("release 4")
    expect(await codes()).toEqual(["", "", "", "", ""])
    expect(await holders("decline", "QZB PITS", "qzb")).toEqual({
      code: 0,
      stdout: "QZB PITS is no longer suggested for QZB\n",
      stderr: "",
    })
    expect((await holders("suggest")).stdout).not.toMatch(/PITS/)
    await bench.load("subsidiaries", "name,parent_asx_code\nQZB PITS,QZB\n")
    expect(await holders("decline", "QZB PITS", "qzb")).toEqual({
      code: 0,
      stdout: "QZB PITS stays linked to QZB: the source subsidiaries has it as a subsidiary\n",
      stderr: "",
    })
    expect((await holders("link", "Nobody", "QZA")).stderr).toStartWith(
      "Cannot decide whether Nobody belongs to QZA",
    )
    expect((await bench.run(["load", "confirmed", "x.csv"])).stderr).toContain(
      'Unknown source "confirmed"',
    )
  })

  test("review shows the holder and the company of each suggestion, and publishes once at the end", async () => {
    const { code, stdout } = await bench.run(["holders", "review"], {
      stdin: new Blob(["y\nn\n\n"]),
    })
    expect(code).toBe(0)
    expect(stdout).toStartWith(
      [
        "1 of 4: QUARRY, PITS LTD; 2 tenements",
        "  holds: WA 2",
        "  beside: Quarry, Pits Ltd; Somebody 1",
        "  company: QZA, Quarry, 0 linked tenements",
        `  same first words: Quarry (${judgement("same first words")})`,
        "Does it belong to QZA? y (yes), n (no), q (end and publish), Enter (later)",
        "2 of 4: Beta (West); 1 tenement",
      ].join("\n"),
    )
    expect(stdout).toContain("Published as release 3")
    expect(await codes()).toEqual(["", "QZA", "QZA", "", ""])
    const left = (await holders("suggest")).stdout
    expect(left).not.toContain("Beta (West)")
    expect(left).toContain("QUARRY ALPHA")
  })

  test.skipIf(!hasTerminals)(
    "a review on a terminal needs no Enter, and Ctrl-C publishes nothing and keeps the decisions",
    async () => {
      const review = onTerminal(["holders", "review"], bench.options())
      await until(async () => review.output().includes("Does it belong to QZA?"))
      review.type("xy")
      await until(async () => review.output().includes("2 of 4"))
      review.type("\u0003")
      expect(await review.child.exited).toBe(130)
      expect(review.output()).toContain(
        "Interrupted: nothing was published; the next `mds holders link` or `mds holders review` publishes the decisions",
      )
      expect(await codes()).toEqual(["", "", "", "", ""])
      const next = onTerminal(["holders", "review"], bench.options())
      await until(async () => next.output().includes("1 of "))
      next.type("q")
      expect(await next.child.exited).toBe(0)
      expect(await codes()).toEqual(["", "QZA", "QZA", "", ""])
    },
  )
})
