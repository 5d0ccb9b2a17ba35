/** A company under a temporary code is the same company: listed, with its record and its tenements. */
import { expect, test } from "bun:test"
import type { LoadOptions } from "../../../src/ingest/loading/load-options.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const header = '"ASX code","Company name","GICs industry group","Listing date","Market Cap"'
const row = (code: string, name: string, date = "12/09/2018", cap: number | string = 5) =>
  `"${code}","${name}","Materials","${date}",${typeof cap === "number" ? cap : `"${cap}"`}`
const load = (day: string, ...rows: string[]) => loadWith({ acceptShrink: true }, day, ...rows)
const loadWith = (options: Partial<LoadOptions>, day: string, ...rows: string[]) =>
  bench.load("asx-directory", [header, ...rows, ""].join("\n"), {
    observed: `2026-01-${day}`,
    ...options,
  })
const other = row("QZB", "Quarry Beta NL", "01/02/2003")
const alpha = (cap?: number | string) => row("QZA", "Quarry Alpha Limited", undefined, cap)
const temporary = (cap?: number | string) => row("QZADB", "QUARRY ALPHA LTD.", undefined, cap)

const listed = async () =>
  (
    await bench.sql`select asx_code, is_active, market_cap_aud::integer as cap, total_tenements
      from companies order by asx_code`
  ).map(({ asx_code, is_active, cap, total_tenements }) =>
    [asx_code, is_active ? "listed" : "inactive", cap, total_tenements].join(" "),
  )
const tenements = () => bench.holders("QUARRY ALPHA LTD")

test("A temporary code updates the record of the ordinary code, which stays listed", async () => {
  await load("01", alpha(), other)
  await tenements()
  await load("02", temporary(7), other)
  const begun = ["QZA listed 7 1", "QZB listed 5 0"]
  expect(await listed()).toEqual(begun)
  await load("09", temporary("--"), other)
  expect(await listed()).toEqual(begun)
  expect((await load("09", temporary("--"), other)).release).toBeNull()
  await load("10", alpha(8), other)
  expect(await listed()).toEqual(["QZA listed 8 1", "QZB listed 5 0"])
})

test("A company that was missing is listed again under its temporary code", async () => {
  await load("01", alpha(), other)
  await load("02", other)
  const again = await load("04", temporary(), other)
  expect(again.missing).toMatchObject({ missing: 0, newly: 0, returned: 1 })
  expect(await listed()).toEqual(["QZA listed 5 0", "QZB listed 5 0"])
})

test("A temporary code without a known ordinary code is a separate company", async () => {
  await load("01", temporary(), other)
  expect(await listed()).toEqual(["QZADB listed 5 0", "QZB listed 5 0"])
  await load("02", temporary(), other)
  expect(await listed()).toEqual(["QZADB listed 5 0", "QZB listed 5 0"])
})

test("A delisted company relisted under a temporary code gets its ordinary code back", async () => {
  await load("01", alpha(), other)
  await loadWith({ acceptShrink: true, removeMissingNow: true }, "05", other)
  expect((await listed())[0]).toBe("QZA inactive 5 0")
  await load("06", row("QZADC", "Quarry Alpha Renamed Limited"), other)
  expect((await listed())[0]).toBe("QZA listed 5 0")
})

/** How many companies a file would add, and how many of the stored ones it lacks. */
async function counts(day: string, ...rows: string[]): Promise<[added: number, missing: number]> {
  const { changes, missing } = await loadWith({ dryRun: true }, day, ...rows)
  return [changes.added, missing.missing]
}

test("A code of another name and listing date, without the D, or of more letters is a company of its own", async () => {
  await load("01", alpha(), other)
  for (const longer of [
    row("QZADB", "Quarry Alpha Notes Limited", "13/09/2018"),
    row("QZALV", "Quarry Alpha Limited"),
    row("QZADBB", "Quarry Alpha Limited"),
  ]) {
    expect([longer, await counts("02", longer, other)]).toEqual([longer, [1, 1]])
  }
})

test("A temporary code is recognised by a name or the listing date of the ordinary code, also after a wrong date", async () => {
  await load("01", row("QZA", "Quarry First Limited"), other)
  await load("02", alpha(), other)
  await load("03", row("QZA", "Quarry Alpha Limited", "30/06/1999"), other)
  await load("04", row("QZA", "Quarry Alpha Limited", ""), other)
  for (const longer of [
    row("QZADB", "Quarry Alpha Limited", "13/09/2018"),
    row("QZADB", "Renamed Limited"),
    row("QZADB", "Quarry First Limited", "13/09/2018"),
  ]) {
    expect([longer, await counts("05", longer, other)]).toEqual([longer, [0, 0]])
  }
})

test("Without listing dates only the name identifies the company", async () => {
  const old = (...rows: string[]) =>
    bench.load(
      "asx-directory",
      ["Company name,ASX code,GICS industry group", ...rows, "Beta NL,QZB,Energy", ""].join("\n"),
      { acceptShrink: true },
    )
  await old("Quarry Alpha Limited,QZA,Materials")
  await old("Quarry Alpha Ltd,QZADA,Materials")
  expect((await listed())[0]).toBe("QZA listed  0")
})

test("A company that is renamed under its temporary code keeps its tenements", async () => {
  await load("01", alpha(), other)
  await tenements()
  await load("07", temporary(), other)
  await load("10", row("QZADB", "Renamed Limited"), other)
  await load("15", row("QZA", "Renamed Limited"), other)
  expect(await listed()).toEqual(["QZA listed 5 1", "QZB listed 5 0"])
})

test("In a file with both codes the temporary code is a separate company", async () => {
  await load("01", alpha(), temporary(), other)
  await tenements()
  expect(await listed()).toEqual(["QZA listed 5 1", "QZADB listed 5 0", "QZB listed 5 0"])
  await load("04", temporary(7), other)
  expect((await listed())[0]).toBe("QZA listed 7 1")
  const { changes } = await load("06", temporary(7), other)
  expect(changes).toEqual({ added: 0, changed: 0, removed: 0, deactivated: 1 })
  expect(await listed()).toEqual(["QZA listed 7 1", "QZADB inactive 5 0", "QZB listed 5 0"])
})

test("A company that is renamed under a temporary code that stood beside its ordinary one stays listed", async () => {
  await load("01", alpha(), other)
  await load("07", alpha(), temporary(), other)
  await tenements()
  const renamed = (cap: number) => row("QZADB", "Renamed Limited", undefined, cap)
  for (const day of ["08", "10", "12"]) await load(day, renamed(7), other)
  expect(await listed()).toEqual(["QZA listed 7 1", "QZADB inactive 5 0", "QZB listed 5 0"])
})

test("A secondary listing with another name remains a separate company", async () => {
  const options = row("QZADB", "Quarry Alpha Options Limited")
  await load("01", alpha(), options, other)
  for (const day of ["04", "06"]) await load(day, options, other)
  expect((await listed()).slice(0, 2)).toEqual(["QZA inactive 5 0", "QZADB listed 5 0"])
})

test("A partial load assigns ordinary codes too, and a rejected row of a temporary code keeps the company listed", async () => {
  await load("01", alpha(), other)
  await loadWith({ partial: true }, "02", other)
  await loadWith({ partial: true }, "03", temporary(9))
  const expected = ["QZA listed 9 0", "QZB listed 5 0"]
  expect(await listed()).toEqual(expected)
  for (const day of ["04", "05", "07"]) await load(day, temporary("many"), other)
  expect(await listed()).toEqual(expected)
})

test("Reports keep the code of their file", async () => {
  await load("01", alpha(), other)
  await load("02", temporary(), other)
  await bench.load("reports", "hash,asx_code,title,published_at\nr1,QZADB,T,2026-01-02T03:04:05Z\n")
  const [report] = await bench.sql`select asx_code, since_release from reports`
  expect(report).toEqual({ asx_code: "QZADB", since_release: 3 })
  await load("03", alpha(), other)
  expect((await bench.sql`select since_release from reports`)[0]).toEqual({ since_release: 3 })
})
