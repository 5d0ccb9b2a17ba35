/** The unlinked holders, and what they may belong to, can be listed and exported at any time. */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { judgement } from "../../src/ingest/loading/suggestions.ts"
import { until } from "../support/until.ts"
import { startOptions } from "./command-process.ts"
import { commandWorkbench } from "./command-workbench.ts"
import { onTerminal } from "./terminal-process.ts"

const bench = await commandWorkbench()
const tenements = `id,tenement_id,state,holder_name
t1,E 1,WA,QUARRY HOLDINGS
t2,E 2,WA,"Quarry, Group Ltd; Somebody"
t3,E 3,WA,"QUARRY, GROUP LTD"
`
await bench.load("companies", "asx_code,company_name,is_active\nQZA,Quarry Holdings,true\n")
await bench.load("tenements", tenements)

const listed = [
  "name,parent_asx_code,country,ownership_percentage,tenements",
  '"QUARRY, GROUP LTD",,,,2',
  "Somebody,,,,1",
  "",
].join("\r\n")

const suggestions = [
  "tenements  name               suggested asx code  suggested company  suggested is active  reason          similar name",
  "2          QUARRY, GROUP LTD  QZA                 Quarry             true                 another ending  Quarry",
  "1          QUARRY HOLDINGS    QZA                 Quarry             true                 another ending  Quarry",
]

const unlinked = (...args: string[]) => bench.run(["holders", "unlinked", ...args])

test("The command lists unlinked holders at any time, as CSV if the output is not a terminal", async () => {
  const { code, stdout, stderr } = await unlinked()
  expect({ code, stdout: stdout.trimEnd(), stderr }).toEqual({
    code: 0,
    stdout: listed.trimEnd(),
    stderr: "",
  })
})

test("A long list is printed only once, also if standard error goes to the same pipe", async () => {
  const rows = Array.from({ length: 3_000 }, (_, n) => `t${n},E 1/${n},WA,Somebody ${n} of Nowhere`)
  const holders = `id,tenement_id,state,holder_name\n${rows.join("\n")}\n`
  await bench.load("tenements", holders, { acceptShrink: true })
  const { command, ...options } = startOptions(["holders", "unlinked"], bench.options())
  // The pipe is full until its reader begins.
  const piped = ["sh", "-c", '"$@" 2>&1 | (sleep 1; cat)', "sh", ...command]
  const child = Bun.spawn(piped, options)
  expect((await child.stdout.text()).trimEnd().split("\n")).toHaveLength(1 + rows.length)
  await bench.load("tenements", tenements, { acceptShrink: true })
})

describe("Suggestions", () => {
  const suggest = (...args: string[]) => bench.run(["holders", "suggest", ...args])
  const suggested = [
    "name,parent_asx_code,country,ownership_percentage,tenements,suggested_asx_code,suggested_company,suggested_is_active,reason,similar_name",
    '"QUARRY, GROUP LTD",,,,2,QZA,Quarry,true,another ending,Quarry',
    "QUARRY HOLDINGS,,,,1,QZA,Quarry,true,another ending,Quarry",
    "",
  ].join("\r\n")
  beforeAll(async () => {
    await bench.empty()
    await bench.load("companies", "asx_code,company_name,is_active\nQZA,Quarry,true\n")
    await bench.load("tenements", tenements)
  })

  test("The command lists suggestions at any time, as CSV if the output is not a terminal", async () => {
    const { code, stdout, stderr } = await suggest()
    expect({ code, stdout: stdout.trimEnd(), stderr }).toEqual({
      code: 0,
      stdout: suggested.trimEnd(),
      stderr: "",
    })
  })

  test("Suggestions are a table on a terminal", async () => {
    const { child, output } = onTerminal(["holders", "suggest"], bench.options())
    expect(await child.exited).toBe(0)
    expect(output().replaceAll("\r\n", "\n")).toBe(`${suggestions.join("\n")}\n`)
  })
})

describe("Decisions", () => {
  const holders = (...args: string[]) => bench.run(["holders", ...args])
  const codes = async () =>
    (await bench.sql`select asx_codes from tenements order by id`).map(({ asx_codes }) =>
      asx_codes.join(" "),
    )
  beforeEach(async () => {
    await bench.empty()
    await bench.load(
      "companies",
      "asx_code,company_name,is_active\nQZA,Quarry,true\nQZB,Beta NL,true\nQZC,Gamma NL,true\n",
    )
    await bench.load("tenements", `${tenements}t4,E 4,WA,GAMMA (PITS)\nt5,E 5,WA,Beta (West)\n`)
  })

  test("The command link publishes a link, and decline ends it", async () => {
    const linked = await holders("link", "qza", "quarry, group limited")
    expect(linked.code).toBe(0)
    expect(linked.stdout).toBe(
      "Published as release 3: the companies of 2 tenements changed\nquarry, group limited is linked to QZA\n",
    )
    expect(await codes()).toEqual(["", "QZA", "QZA", "", ""])
    expect((await holders("suggest")).stdout).not.toContain('\n"QUARRY, GROUP LTD"')
    const declined = (await holders("decline", "QZA", "QUARRY, GROUP LTD")).stdout
    expect(declined).toContain("release 4")
    expect(declined).toEndWith("QUARRY, GROUP LTD is no longer linked to QZA\n")
    expect(await codes()).toEqual(["", "", "", "", ""])
    expect(await holders("decline", "qzc", "GAMMA (PITS)")).toEqual({
      code: 0,
      stdout: "GAMMA (PITS) is no longer suggested for QZC\n",
      stderr: "",
    })
    expect((await holders("suggest")).stdout).not.toMatch(/PITS/)
    await bench.load("subsidiaries", "name,parent_asx_code\nGAMMA (PITS),QZC\n")
    expect(await holders("decline", "qzc", "GAMMA (PITS)")).toEqual({
      code: 0,
      stdout: "GAMMA (PITS) stays linked to QZC: the source subsidiaries has it as a subsidiary\n",
      stderr: "",
    })
    expect((await holders("link", "QZA", "Nobody")).stderr).toStartWith(
      "Cannot decide whether Nobody belongs to QZA",
    )
    expect((await bench.run(["load", "confirmed", "x.csv"])).stderr).toContain(
      'Unknown source "confirmed"',
    )
  })

  test("One command decides several holders in one release, and the decisions are listed", async () => {
    const { stdout } = await holders("link", "QZA", "GAMMA (PITS)", "Quarry, Group Ltd")
    expect(stdout).toBe(
      "Published as release 3: the companies of 3 tenements changed\nGAMMA (PITS) is linked to QZA\nQuarry, Group Ltd is linked to QZA\n",
    )
    await holders("decline", "QZB", "Beta (West)")
    expect((await holders("decisions")).stdout.replaceAll(/ {2,}/g, " | ")).toBe(
      [
        "asx code | holder | decision | tenements",
        "QZA | GAMMA (PITS) | linked | 1",
        "QZA | QUARRY, GROUP LTD | linked | 2",
        "QZB | Beta (West) | declined | 1",
        "",
      ].join("\n"),
    )
  })

  const reviewed = (replies: string, ...command: string[]) =>
    bench.run(["holders", ...command], { stdin: new Blob([replies]) })

  test("Review shows all holders with a suggested company, most tenements first, and publishes at the end", async () => {
    const { code, stdout } = await reviewed("y\nn\n\n", "review")
    expect(code).toBe(0)
    expect(stdout).toStartWith(
      [
        "Linked now: 0 of 5 tenements (0.0%), 0.0% of those with a company among their holders",
        `1 of 3: another ending (${judgement("another ending")}); tenements that links add: 3`,
        "  holds: WA 3",
        "  beside: Quarry, Group Ltd; Somebody 1",
        "  company: QZA, Quarry, 0 linked tenements",
        "  tenements  holder             similar name",
        "  2          QUARRY, GROUP LTD  Quarry",
        "  1          QUARRY HOLDINGS    Quarry",
        "Do they belong to QZA? y (yes, all), n (no, none), q (end and publish), Enter (later)",
        `2 of 3: place in brackets (${judgement("place in brackets")}); tenements that links add: 1`,
      ].join("\n"),
    )
    expect(stdout).toContain("Published as release 3")
    expect(stdout).toEndWith(
      "Linked now: 3 of 5 tenements (60.0%), 100.0% of those with a company among their holders\n",
    )
    expect(await codes()).toEqual(["QZA", "QZA", "QZA", "", ""])
    const left = (await holders("suggest")).stdout
    expect(left).not.toContain("Beta (West)")
    expect(left).toContain("GAMMA (PITS)")
  })

  test("Confirm shows all suggestions of a reason, and confirms them after one question", async () => {
    const command = ["confirm", "--reason", "another ending"]
    const shown = [
      ...suggestions,
      `Confirm these 2 links (${judgement("another ending")})? y (yes), Enter (no)`,
    ].join("\n")
    const refused = await reviewed("\n", ...command)
    expect(refused.stdout).toContain(shown)
    expect(refused.stdout).toEndWith("No link changed: nothing was published\n")
    expect([refused.code, await codes()]).toEqual([0, ["", "", "", "", ""]])
    const { stdout } = await reviewed("Yes\n", ...command)
    expect(stdout).toContain("Published as release 3")
    expect(stdout).toEndWith(
      "Linked now: 3 of 5 tenements (60.0%), 100.0% of those with a company among their holders\n",
    )
    expect(await codes()).toEqual(["QZA", "QZA", "QZA", "", ""])
    expect((await reviewed("y\n", ...command)).stdout).toContain("none\n")
    expect((await reviewed("", "confirm", "--reason", "guess")).stderr).toContain("known group")
  })

  test("Confirm leaves out a holder with two suggested companies", async () => {
    await bench.load(
      "companies",
      "asx_code,company_name,is_active\nQZA,Quarry,true\nQZB,Quarry Holdings NL,true\nQZC,Gamma NL,true\n",
    )
    await bench.load(
      "tenements",
      "id,tenement_id,state,holder_name\nt1,E 1,WA,QUARRY GROUP LTD\n",
      {
        acceptShrink: true,
      },
    )
    const { stdout } = await reviewed("y\n", "confirm", "--reason", "another ending")
    expect(stdout).toContain("Left out: holders that the reason gives several companies")
    expect(await codes()).toEqual([""])
  })

  test("A review on a terminal needs no Enter, and Ctrl-C publishes nothing and keeps the decisions", async () => {
    const review = onTerminal(["holders", "review"], bench.options())
    await until(async () => review.output().includes("Do they belong to QZA?"))
    review.type("xy")
    await until(async () => review.output().includes("2 of 3"))
    review.type("\u0003")
    expect(await review.child.exited).toBe(130)
    expect(review.output()).toContain(
      "Interrupted: stored decisions are kept; `mds holders review` publishes those that are not published yet",
    )
    expect(await codes()).toEqual(["", "", "", "", ""])
    const next = onTerminal(["holders", "review"], bench.options())
    await until(async () => next.output().includes("1 of "))
    next.type("q")
    expect(await next.child.exited).toBe(0)
    expect(await codes()).toEqual(["QZA", "QZA", "QZA", "", ""])
  })

  test("Ctrl-C at the question of confirm decides nothing, and does not say otherwise", async () => {
    const confirm = onTerminal(
      ["holders", "confirm", "--reason", "another ending"],
      bench.options(),
    )
    await until(async () => confirm.output().includes("Confirm these"))
    confirm.type("\u0003")
    expect(await confirm.child.exited).toBe(130)
    expect(confirm.output()).not.toContain("decisions are stored")
    expect(await codes()).toEqual(["", "", "", "", ""])
  })

  test("An Enter typed before the first question counts", async () => {
    const command = ["holders", "confirm", "--reason", "another ending"]
    const early = onTerminal(command, bench.options())
    early.type("\r")
    expect(await early.child.exited).toBe(0)
    expect(await codes()).toEqual(["", "", "", "", ""])
  })
})

test("The command companies confirm asks before each link, with the evidence for and against it", async () => {
  await bench.empty()
  const directory = (day: string, code: string, name: string) =>
    bench.load(
      "asx-directory",
      `ASX code,Company name,GICs industry group,Listing date,Market Cap\n${code},${name},Materials,12/09/2018,5\n`,
      { acceptShrink: true, observed: day },
    )
  for (const day of ["2026-01-01", "2026-01-07"]) await directory(day, "QZA", "Alpha NL")
  for (const day of ["2026-01-08", "2026-01-14"]) await directory(day, "QZN", "Beta NL")
  const confirm = (reply: string) =>
    bench.run(["companies", "confirm", "qza", "qzn"], { stdin: new Blob([reply]) })
  const question = [
    "  for: listing dates: 2018-09-12, 2018-09-12",
    "  for: QZA was listed until 2026-01-07, QZN from 2026-01-08",
    "  against: name of both: none",
    "  tenements that would move: 0",
    "Did QZA become QZN? y (yes), Enter (no)\n",
  ].join("\n")
  expect(await confirm("\n")).toEqual({ code: 0, stdout: question, stderr: "" })
  expect((await confirm("y\n")).stdout).toBe(
    `${question}Published as release 4: QZA was succeeded by QZN\n`,
  )
})
