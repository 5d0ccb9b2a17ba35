/** A company that is renamed keeps the tenements that its former name holds, while nobody else bears it. */
import { beforeEach, describe, expect, test } from "bun:test"
import { prune } from "../../../src/ingest/loading/prune.ts"
import { formatSummary } from "../../../src/ingest/loading/summary.ts"
import { readUnlinked } from "../../../src/ingest/loading/unlinked.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const directory = bench.companies
const codes = async () => Object.values(await bench.linked())
const unlinked = async () => (await readUnlinked(bench.url)).map(({ name }) => name)

/** Totals are those of the lists, whatever the links are. */
const expectTotals = async () => expect(await bench.companiesOfOtherTotals()).toEqual([])

describe("In an operator's own files", () => {
  beforeEach(async () => {
    await directory("QZA,Quarry Alpha Limited,true", "QZB,Quarry Beta NL,true")
    await bench.load(
      "tenements",
      "id,tenement_id,state,holder_name\nt1,E 1,WA,QUARRY ALPHA LTD\nt2,E 2,WA,Quarry Beta NL\n",
    )
  })

  test("A renamed company stays linked by its former names, and nothing of its tenements changes", async () => {
    const renamed = await directory("QZA,Renamed Limited,true", "QZB,Quarry Beta NL,true")
    expect(renamed.links).toMatchObject({
      ...{ linked: 2, directly: 2, unlinked_holders: 0 },
      changed: { tenements: 0 },
    })
    expect(await codes()).toEqual(["QZA", "QZB"])
    await directory("QZA,Renamed Again Limited,true", "QZB,Quarry Beta Limited,true")
    expect(await codes()).toEqual(["QZA", "QZB"])
    expect(await unlinked()).toEqual([])
    await expectTotals()
  })

  test("New tenements of a former name are linked too, and of the name that a company took back", async () => {
    await directory("QZA,Renamed Limited,true", "QZB,Quarry Beta NL,true")
    await directory("QZA,Quarry Alpha Ltd,true", "QZB,Quarry Beta NL,true")
    await bench.load(
      "tenements",
      "id,tenement_id,state,holder_name\nt3,E 3,WA,RENAMED LTD\nt4,E 4,WA,QUARRY ALPHA LTD\n",
      { partial: true },
    )
    expect(await codes()).toEqual(["QZA", "QZB", "QZA", "QZA"])
  })

  test("Pruning the history drops no link", async () => {
    const { release } = await directory("QZA,Renamed Limited,true", "QZB,Quarry Beta NL,true")
    await bench.sql`update releases set published_at = published_at - interval '90 days'`
    expect(await prune(bench.url, 1)).toMatchObject({ oldest: release })
    expect([...(await bench.sql`select from companies_history`)]).toEqual([])
    const after = await directory("QZA,Renamed Limited,true", "QZB,Quarry Beta NL,false")
    expect(after.links).toMatchObject({ linked: 2, changed: { tenements: 0 } })
  })

  test.each([
    ["a listed company", ["QZC,Quarry Alpha Limited,true"], "", "QZC"],
    ["a company that is listed no longer", ["QZC,Quarry Alpha Limited,false"], "", "QZC"],
    ["a subsidiary", [], "s1,Quarry Alpha Limited,QZB", "QZB"],
    ["a subsidiary of a company that is not stored", [], "s1,Quarry Alpha Limited,QZX", ""],
  ])(
    "A former name that %s bears belongs to that company",
    async (_, others, subsidiary, owner) => {
      await directory("QZA,Renamed Limited,true", "QZB,Quarry Beta NL,true", ...others)
      if (subsidiary !== "")
        await bench.load("subsidiaries", `id,name,parent_asx_code\n${subsidiary}\n`)
      expect(await codes()).toEqual([owner, "QZB"])
      await expectTotals()
      // Once nobody else bears it, it is the renamed company's again.
      await bench.sql`truncate subsidiaries`
      await directory("QZA,Renamed Limited,true", "QZB,Quarry Beta,true")
      expect(await codes()).toEqual(["QZA", "QZB"])
    },
  )

  test("A former name of two companies is linked to neither, unless both are listings of one", async () => {
    await directory("QZA,Renamed Limited,true", "QZB,Quarry Alpha Ltd,true")
    await directory("QZA,Renamed Limited,true", "QZB,Renamed Too NL,true")
    expect(await codes()).toEqual(["", "QZB"])
    await directory("QZA,Renamed Limited,true", "QZB,Renamed Limited,true")
    expect(await codes()).toEqual(["QZA", "QZA"])
  })

  test("Options of a renamed company take none of its tenements", async () => {
    await directory("QZA,Quarry Alpha Limited,true", "QZAOA,Quarry Alpha Limited,true")
    await directory("QZA,Renamed Limited,true", "QZAOA,Quarry Alpha Limited,true")
    expect((await codes())[0]).toBe("QZA")
    await directory("QZA,Renamed Limited,true", "QZAOA,Quarry Alpha Limited,false")
    expect((await codes())[0]).toBe("QZA")
    await directory(
      "QZA,Renamed Limited,true",
      "QZAOA,Quarry Alpha Limited,false",
      "QZC,Quarry Alpha Limited,true",
    )
    expect((await codes())[0]).toBe("QZC")
  })

  test("A code that another company took over does not link by its earlier names", async () => {
    await directory("QZA,Renamed Limited,true", "QZB,Quarry Beta NL,true")
    await directory("QZA,Renamed Limited,false", "QZB,Quarry Beta NL,true")
    expect(await codes()).toEqual(["QZA", "QZB"])
    await directory("QZA,Unrelated Limited,true", "QZB,Quarry Beta NL,true")
    expect(await codes()).toEqual(["", "QZB"])
    expect(await unlinked()).toEqual(["QUARRY ALPHA LTD"])
  })
})

describe("In the exchange's directory", () => {
  const date = "01/02/2003"
  const capture = (listed: string, name: string) =>
    [
      '"ASX code","Company name","GICs industry group","Listing date","Market Cap"',
      `"QX0","${name}","Materials","${listed}",1`,
      "",
    ].join("\n")
  const loadFrom = (listed: string, observed: string | undefined, name: string) =>
    bench.load("asx-directory", capture(listed, name), {
      acceptShrink: true,
      ...(observed ? { observed } : {}),
    })
  const load = (observed: string | undefined, name: string) => loadFrom(date, observed, name)
  const former = async () =>
    (await bench.sql`select name, is_certain from former_names order by name`).map(
      ({ name, is_certain }) => `${name}: ${is_certain ? "links" : "is suggested"}`,
    )

  test("Of files a year apart each name counts, and of daily ones a name of six days", async () => {
    await load("2023-08-31", "Quarry Delta Limited")
    await load("2025-06-30", "Renamed Limited")
    expect(await former()).toEqual(["Quarry Delta Limited: links"])
    await load("2025-07-01", "Renamed For A Day Limited")
    for (const day of ["02", "08"]) await load(`2025-07-${day}`, "Renamed Again Limited")
    await load("2025-07-09", "Present Limited")
    expect(await former()).toEqual([
      "Quarry Delta Limited: links",
      "Renamed Again Limited: links",
      "Renamed For A Day Limited: is suggested",
      "Renamed Limited: is suggested",
    ])
  })

  test("A name under another listing date is another company's, unless both dates have a name that counts", async () => {
    for (const day of ["01", "07"]) await loadFrom("01/02/2003", `2026-01-${day}`, "Delta Limited")
    for (const day of ["08", "14"]) await loadFrom("05/06/2026", `2026-01-${day}`, "Echo Limited")
    expect(await former()).toEqual(["Delta Limited: is suggested"])
    for (const day of ["15", "21"]) await loadFrom("07/08/2026", `2026-01-${day}`, "Echo Limited")
    await loadFrom("07/08/2026", "2026-01-22", "Present Limited")
    expect(await former()).toEqual(["Delta Limited: is suggested", "Echo Limited: links"])
    for (const day of ["23", "29"])
      await loadFrom("05/06/2026", `2026-01-${day}`, "Foxtrot Limited")
    await loadFrom("07/08/2026", "2026-01-30", "Present Limited")
    expect(await former()).toContain("Foxtrot Limited: links")
  })

  test("A wrong listing date of a single day changes nothing", async () => {
    for (const day of ["01", "07"]) await load(`2026-01-${day}`, "Delta Limited")
    const wrong = await loadFrom("01/01/1901", "2026-01-08", "Delta Limited")
    expect(wrong.release).toBeNull()
    await load("2026-01-09", "Present Limited")
    expect(await former()).toEqual(["Delta Limited: links"])
  })

  test("A load of a part of the directory is no day on which it lacked a name", async () => {
    await load("2023-08-31", "Delta Limited")
    const part = capture(date, "Quarry Limited").replaceAll("QX0", "QX9")
    await bench.load("asx-directory", part, { observed: "2023-09-05", partial: true })
    await load("2025-06-30", "Renamed Limited")
    expect(await former()).toContain("Delta Limited: links")
  })

  test("A corrected time of files replaces the assumed one, which counts no name", async () => {
    await load("2025-12-31", "Present Limited")
    await load(undefined, "Delta Limited")
    await load("2026-01-01", "Delta Limited")
    await load("2026-01-02", "Present Limited")
    expect(await former()).toEqual(["Delta Limited: is suggested"])
  })

  test("A name in files without listing dates is suggested", async () => {
    const old = (name: string) =>
      `Company name,ASX code,GICS industry group\n${name},QX0,Materials\n`
    await bench.load("asx-directory", old("Delta Limited"), { observed: "2013-02-01" })
    await bench.load("asx-directory", old("Echo Limited"), { observed: "2016-02-01" })
    await load("2023-08-31", "Foxtrot Limited")
    expect(await former()).toEqual(["Delta Limited: is suggested", "Echo Limited: is suggested"])
  })

  test("A load that changes no record links a name that counts from then on", async () => {
    await bench.holders("DELTA LTD")
    for (const day of ["01", "06"]) await load(`2026-01-${day}`, "Delta Limited")
    for (const day of ["07", "08"]) await load(`2026-01-${day}`, "Present Limited")
    expect(await codes()).toEqual([""])
    await load("2026-01-09", "Delta Limited")
    expect((await load("2026-01-10", "Present Limited")).release).not.toBeNull()
    expect(await codes()).toEqual(["QX0"])
  })

  test("A load without a time makes its source's time unknown, also if it publishes nothing", async () => {
    const isKnown = async () =>
      (await bench.sql`select last_observed_is_known as known from sources`)[0]?.known
    await load("2026-01-01", "Quarry Delta Limited")
    expect(formatSummary(await load(undefined, "Quarry Delta Limited"))).not.toContain("assumed")
    expect(await isKnown()).toBe(true)
    const others = capture(date, "Quarry Delta Limited").replaceAll("\n", "\r\n")
    expect((await bench.load("asx-directory", others)).release).toBeNull()
    expect(await isKnown()).toBe(false)
  })
})
