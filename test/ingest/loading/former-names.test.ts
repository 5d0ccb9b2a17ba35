/** A company that is renamed keeps the tenements that its former name holds, while nobody else bears it. */
import { beforeEach, describe, expect, test } from "bun:test"
import { prune } from "../../../src/ingest/loading/prune.ts"
import { formatSummary } from "../../../src/ingest/loading/summary.ts"
import { readUnlinked } from "../../../src/ingest/loading/unlinked.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const directory = (...rows: string[]) =>
  bench.load("companies", `asx_code,company_name,is_active\n${rows.join("\n")}\n`, {
    acceptShrink: true,
  })

beforeEach(async () => {
  await directory("QZA,Quarry Alpha Limited,true", "QZB,Quarry Beta NL,true")
  await bench.load(
    "tenements",
    "id,tenement_id,state,holder_name\nt1,E 1,WA,QUARRY ALPHA LTD\nt2,E 2,WA,Quarry Beta NL\n",
  )
})

const codes = bench.linkedCodes
const unlinked = async () => (await readUnlinked(bench.url)).map(({ name }) => name)

/** Totals are those of the lists, whatever the links are. */
const expectTotals = async () => expect(await bench.companiesOfOtherTotals()).toEqual([])

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
])("A former name that %s bears belongs to that company", async (_, others, subsidiary, owner) => {
  await directory("QZA,Renamed Limited,true", "QZB,Quarry Beta NL,true", ...others)
  if (subsidiary !== "")
    await bench.load("subsidiaries", `id,name,parent_asx_code\n${subsidiary}\n`)
  expect(await codes()).toEqual([owner, "QZB"])
  await expectTotals()
  // Once nobody else bears it, it is the renamed company's again.
  await bench.sql`truncate subsidiaries`
  await directory("QZA,Renamed Limited,true", "QZB,Quarry Beta,true")
  expect(await codes()).toEqual(["QZA", "QZB"])
})

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

test("A name that changed between loads years apart does not link", async () => {
  await bench.sql`update sources set last_observed_at = '2019-01-01'`
  await directory("QZA,Renamed Limited,true", "QZB,Quarry Beta NL,true")
  expect(await codes()).toEqual(["", "QZB"])
})

describe("In the exchange's directory", () => {
  const capture = (...names: string[]) =>
    [
      '"ASX code","Company name","GICs industry group","Listing date","Market Cap"',
      ...names.map((name, n) => `"QX${n}","${name}","Materials","01/02/2003",${n}`),
      "",
    ].join("\n")
  const load = (observed: string | undefined, ...names: string[]) =>
    bench.load("asx-directory", capture(...names), {
      acceptShrink: true,
      ...(observed ? { observed } : {}),
    })
  const former = async () =>
    (await bench.sql`select name, is_certain from former_names order by name`).map(
      ({ name, is_certain }) => `${name}: ${is_certain ? "links" : "is suggested"}`,
    )

  test("A name that changed between captures of known times links", async () => {
    await load("2023-08-31", "Quarry Delta Limited", "Quarry Echo Limited")
    await load("2025-06-30", "Renamed Limited", "Quarry Echo Limited")
    expect(await former()).toEqual(["Quarry Delta Limited: links"])
  })

  test.each([
    ["the times of both files are unknown", undefined, undefined],
    ["the time of the earlier file is unknown", undefined, "2020-01-01"],
    ["the time of the later file is unknown", "2019-06-01", undefined],
    [
      "the files are years apart, however soon one was loaded after the other",
      "2016-02-01",
      "2023-08-31",
    ],
  ])("A name does not link where %s", async (_, first, second) => {
    await load(first, "Quarry Delta Limited", "Quarry Echo Limited")
    await bench.sql`update sources set last_observed_at = least(last_observed_at, '2019-06-01')`
    await load(second, "Renamed Limited", "Quarry Echo Limited")
    expect(await former()).toEqual(["Quarry Delta Limited: is suggested"])
  })

  test("A name does not link where the code was missing before it had another", async () => {
    await load("2020-01-01", "Quarry Delta Limited", "Quarry Echo Limited")
    await load("2020-02-01", "Quarry Delta Limited")
    await load("2020-02-02", "Quarry Delta Limited", "Unrelated Limited")
    expect(await former()).toEqual(["Quarry Echo Limited: is suggested"])
  })

  test("A load that publishes nothing records the times between which a name changed", async () => {
    await load("2020-01-01", "Quarry Delta Limited", "Quarry Echo Limited")
    expect((await load("2023-06-01", "Quarry Delta Limited", "Quarry Echo Limited")).release).toBe(
      null,
    )
    await load("2023-07-01", "Renamed Limited", "Quarry Echo Limited")
    expect(await former()).toEqual(["Quarry Delta Limited: links"])
  })

  test("The same bytes as before have a known time", async () => {
    await load("2026-01-01", "Quarry Delta Limited", "Quarry Echo Limited")
    const again = await load(undefined, "Quarry Delta Limited", "Quarry Echo Limited")
    expect(formatSummary(again)).not.toContain("assumed")
    await load("2026-02-01", "Renamed Limited", "Quarry Echo Limited")
    expect(await former()).toEqual(["Quarry Delta Limited: links"])
  })

  test("A load without a time makes its source's time unknown, also if it publishes nothing", async () => {
    await load("2026-01-01", "Quarry Delta Limited", "Quarry Echo Limited")
    const others = capture("Quarry Delta Limited", "Quarry Echo Limited").replaceAll("\n", "\r\n")
    expect((await bench.load("asx-directory", others)).release).toBeNull()
    const later = new Date().toISOString()
    await load(later, "Renamed Limited", "Quarry Echo Limited")
    expect(await former()).toEqual(["Quarry Delta Limited: is suggested"])
  })
})
