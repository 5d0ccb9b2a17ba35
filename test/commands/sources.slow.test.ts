/** `mds sources` shows the outcomes of the last loads, and the missing records. */
import { expect, test } from "bun:test"
import { commandWorkbench } from "./command-workbench.ts"

const bench = await commandWorkbench()
const codes = Array.from({ length: 40 }, (_, index) => `Q${String(index).padStart(2, "0")}`)
const directory = (...rows: string[]) =>
  [
    "ASX code,Company name,GICs industry group,Listing date,Market Cap",
    ...rows.map((code) => `${code},QUARRY ${code} LIMITED,Materials,,${code.slice(1)}`),
    "",
  ].join("\n")
bench.file("all.csv", directory(...codes))
bench.file("lacking.csv", directory(...codes.slice(2)))
await bench.load("asx-directory", directory(...codes), { observed: "2020-01-01" })
const observed = "2020-01-02T10:00:00+10:00"
await bench.load("asx-directory", directory(...codes.slice(2)), { observed })

const load = (...args: string[]) =>
  bench.run(["load", "asx-directory", ...args], { cwd: bench.directory })
const sources = (...args: string[]) => bench.run(["sources", ...args])
/** Rows of cells; times of this run are `now`. */
const cells = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => line.replaceAll(/20(?!20)\d\d-\S+Z/g, "now").split(/ {2,}/))

test("The list has every loaded source, and the outcome of its last load", async () => {
  const { stdout, code } = await sources("list")
  expect(cells(stdout).map((row) => row.join(" | "))).toEqual([
    "source | resource | records | missing | data as of | changed | release | loaded | outcome",
    "asx-directory | companies | 40 | 2 | 2020-01-02T00:00:00Z | now | 1 | now | unchanged",
  ])
  expect(code).toBe(0)
  const json = JSON.parse((await sources("list", "--json")).stdout)
  expect(json).toMatchObject([{ name: "asx-directory", missing: 2, counts: { read: 38 } }])
})

test("A source is shown with its missing records, the largest first, and when each is removed", async () => {
  const { stdout } = await sources("show", "asx-directory")
  expect(cells(stdout)).toEqual([
    ["name: asx-directory"],
    ["resource: companies"],
    ["records: 40"],
    ["missing: 2"],
    ["tenements linked to a company: -"],
    ["tenements with a company among the holders: -"],
    ["licence: -"],
    ["attribution: -"],
    ["crs: -"],
    ["address: -"],
    ["last fetched at: -"],
    ["last attempted at: -"],
    ["last loaded at: now"],
    ["last outcome: unchanged"],
    ["last reason: -"],
    ["last finding: -"],
    ["last observed at: 2020-01-02T00:00:00Z"],
    ["last release: 1"],
    ["last changed at: now"],
    [""],
    ["Missing records:"],
    ["key", "label", "missing since", "last missing at", "loads", "removable from"],
    ...["Q01", "Q00"].map((code) => [
      code,
      `QUARRY ${code} LIMITED`,
      "2020-01-02T00:00:00Z",
      "2020-01-02T00:00:00Z",
      "1",
      "2020-01-04T00:00:00Z",
    ]),
  ])
  const options = { variables: { ABSENT_AFTER_HOURS: "1" } }
  const json = await bench.run(["sources", "show", "asx-directory", "--json"], options)
  expect(JSON.parse(json.stdout).missing_records[0]).toMatchObject({
    key: "Q01",
    loads: 1,
    removable_from: "2020-01-02T01:00:00Z",
  })
})

test("The list shortens the reason of a refused load; showing the source prints all of it", async () => {
  const file = bench.file(`${"long-".repeat(40)}.csv`, "Bad Gateway")
  const reason = await bench.refusal("asx-directory", [file])
  const { stdout } = await sources("list")
  expect(stdout).toMatch(/refused: Cannot read (?:long-)+\w*…$/m)
  expect(stdout).toContain("2020-01-02T00:00:00Z")
  expect((await sources("show", "asx-directory")).stdout).toContain(`last reason: ${reason}`)
})

test("The error for an unloaded or unknown source names the reason", async () => {
  const known = await sources("show", "wa")
  expect(known).toMatchObject({
    code: 1,
    stdout: "",
    stderr: "The source wa has not been loaded yet\n",
  })
  expect((await sources("show", "asx-dirctory")).stderr).toContain('did you mean "asx-directory"?')
})

test("The operator sets the absence time, the time of the files and the columns that may be empty", async () => {
  const later = ["lacking.csv", "--observed", "2020-01-02T02:00:00Z"]
  const gone = await bench.run(["load", "asx-directory", ...later], {
    cwd: bench.directory,
    variables: { ABSENT_AFTER_HOURS: "1" },
  })
  expect(gone.stdout).toContain("2 deactivated")
  bench.file("empty.csv", directory(...codes).replaceAll(/,\d+$/gm, ",--"))
  const accepted = await load(
    "empty.csv",
    "--accept-empty",
    "gics_sector",
    "--accept-empty",
    "market_cap_aud",
  )
  expect(accepted.stdout).toContain("40 changed")
  const odd = await load("all.csv", "--observed", "yesterday")
  expect(odd.stderr).toContain("give a date as 2026-01-02, or a date-time with its zone")
  const removed = await load("lacking.csv", "--remove-missing-now")
  expect(removed.stdout).toContain("2 deactivated")
})

test("The time of files without a date is unknown in the lists of sources and of releases", async () => {
  await bench.load("tas", "name,tenementType,status,owner\nEL1,EL,Granted,A\n")
  const listed = JSON.parse((await sources("list", "--json")).stdout)
  expect(listed.at(-1)).toMatchObject({ name: "tas", last_observed_at: null })
  const releases = await bench.run(["releases", "list", "--count", "1", "--json"])
  expect(JSON.parse(releases.stdout)).toMatchObject([{ source: "tas", data_as_of: null }])
})

test("Removing a source removes its records in a release and takes it off the list", async () => {
  await bench.load(
    "tas",
    "name,tenementType,status,owner,grantDate,expireDate\nEL1,EL,Granted,A,,\n",
  )
  const { stdout, code } = await sources("remove", "tas")
  expect(stdout).toMatch(/^Published as release \d+: 1 tenements of the source tas were removed\n$/)
  expect(code).toBe(0)
  expect((await sources("list")).stdout).not.toContain("tas ")
  const unknown = await sources("remove", "tas")
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    expect.stringContaining("The source tas has not been loaded yet"),
  ])
})
