/**
 * Text from files and servers is shown, and not obeyed: nothing that a command writes for people
 * moves the cursor, sets colours or turns the direction of text. Data is written as it is.
 */
import { expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { controlCharacter, printableText } from "../../src/system/text/printable-text.ts"
import { commandWorkbench } from "./command-workbench.ts"
import { onTerminal } from "./terminal-process.ts"

const bench = await commandWorkbench()

/** Clears the screen, sets the title, is a C1 control sequence, deletes, and turns text around. */
const attack = "\x1b[2J\x1b]0;owned\x07\u009b31m\x7f\u202etxt\u2066"
const shown = "\\u001b[2J\\u001b]0;owned\\u0007\\u009b31m\\u007f\\u202etxt\\u2066"
/** What a holder becomes: a load makes control characters of ASCII blanks. */
const stored = attack.replaceAll(new RegExp(controlCharacter, "g"), " ").trim()
/** Carriage returns apart, which a terminal adds. */
const obeyed = /(?![\t\n\r])[\p{Cc}\p{Bidi_Control}]/u

const run = (...args: string[]) => bench.run(args, { cwd: bench.directory })

test("Control characters appear as JSON escapes, and JSON keeps their value", () => {
  expect(printableText(attack)).toBe(shown)
  expect(printableText("good\rbad")).toBe("good\\u000dbad")
  expect(printableText("ten\tElf\nÄ 😀 עברית")).toBe("ten\tElf\nÄ 😀 עברית")
  expect(JSON.parse(printableText(JSON.stringify({ attack })))).toEqual({ attack })
})

test("Messages escape a header's names, an option and a file name", async () => {
  bench.file("header.csv", `"asx_code","${attack}"\nQZA,x\n`)
  for (const args of [
    ["load", "companies", "header.csv"],
    ["load", "companies", `${attack}.csv`],
    ["load", "companies", "header.csv", `--${attack}`],
    ["sources", "show", attack],
  ]) {
    const { code, stderr, stdout } = await run(...args)
    const isUsageError = args.length > 3
    expect([args, code]).toEqual([args, isUsageError ? 2 : 1])
    expect(stderr).toContain("owned\\u0007\\u009b31m")
    expect(stderr + stdout).not.toMatch(obeyed)
  }
  const [source] = await bench.sql`select last_reason from sources where name = 'companies'`
  expect(source?.last_reason).not.toMatch(obeyed)
})

test("Warnings, rejected rows, reasons and missing records are escaped", async () => {
  const directory = (...rows: string[]) =>
    `ASX code,Company name,GICs industry group,${attack}\n${rows.join("\n")}\n`
  const rows = Array.from({ length: 40 }, (_, n) => `Q${n + 10},"A ${attack} ${n}",${attack},x`)
  bench.file("all.csv", directory(...rows))
  bench.file("bad.csv", directory(...rows, `${attack},B,Materials,x`))
  bench.file("lacking.csv", directory(...rows.slice(1)))
  const load = (name: string) => run("load", "asx-directory", name, "--all-sectors")
  const outputs = [await load("all.csv"), await load("lacking.csv")]
  outputs.push(await run("sources", "show", "asx-directory"))
  bench.file("cut.csv", directory(rows[0] ?? ""))
  outputs.push(await load("cut.csv"), await run("sources", "list"), await load("bad.csv"))
  const all = outputs.map(({ stdout, stderr }) => stdout + stderr)
  expect(outputs.map(({ code }) => code)).toEqual([0, 0, 0, 1, 0, 0])
  for (const text of all) expect(text).not.toMatch(obeyed)
  expect(all[0]).toContain("unknown industry group")
  expect(all[1]).toContain("owned \\u009b31m")
  expect(all[2]).toContain("owned \\u009b31m")
  expect(all[5]).toContain(
    '1 row was rejected: bad.csv, line 42: asx_code is malformed: "[2J ]0;owned \\u009b31m',
  )
  const rejects = join(bench.dataDir, "rejects")
  const [name = ""] = readdirSync(rejects)
  const written = readFileSync(join(rejects, name), "utf8")
  expect(written).not.toMatch(obeyed)
  expect(written).toContain("\\u009b")
})

test("No line of output begins with a file's name or content", async () => {
  const header = "ASX code,Company name,GICs industry group"
  bench.file("a\nFAKE.csv", `${header}\nQZA,A,"x\nFAKE"\nBAD CODE,"B\nFAKE",Materials\n`)
  bench.file("b\nFAKE.csv", "FAKE\n")
  const load = (name: string) => run("load", "asx-directory", name, "--all-sectors", "--partial")
  const outputs = [await load("a\nFAKE.csv"), await load("b\nFAKE.csv")]
  const [release] = await bench.sql`select max(id) as id from releases`
  outputs.push(await run("releases", "show", String(release?.id)))
  expect(outputs.map(({ code }) => code)).toEqual([0, 1, 0])
  for (const { stdout, stderr } of outputs) {
    expect(stdout + stderr).not.toMatch(/^FAKE/m)
    expect(stdout + stderr).toContain("\\u000aFAKE.csv")
  }
})

/** Without what separates holders. */
const holder = stored.replaceAll(";", "")

test("CSV on a pipe has the exact data", async () => {
  await bench.load("tenements", `id,tenement_id,state,holder_name\nt1,E 1,WA,"${holder}"\n`)
  expect((await run("holders", "unlinked")).stdout).toContain(holder)
})

test("On a terminal file names and holders are escaped, and no value begins a line", async () => {
  await bench.load("tenements", `id,tenement_id,state,holder_name\nt1,E 1,WA,"${holder}\nFAKE"\n`)
  const holders = onTerminal(["holders", "unlinked"], bench.options())
  expect(await holders.child.exited).toBe(0)
  expect(holders.output()).not.toMatch(obeyed)
  expect(holders.output()).toContain(`1          ${printableText(holder)}`)
  expect(holders.output()).not.toMatch(/^FAKE/m)
  const path = bench.file(
    `${attack.replaceAll("/", "")}\nFAKE.csv`,
    "asx_code,company_name,is_active\nQZA,A,true\n",
  )
  const load = onTerminal(["load", "companies", path], bench.options())
  await load.child.exited
  // The bar itself moves the cursor.
  expect(load.output()).not.toContain("\x1b[2J")
  expect(load.output()).not.toContain("\u009b")
  expect(load.output()).toContain("\\u001b[2J")
  expect(load.output()).not.toMatch(/^FAKE/m)
})
