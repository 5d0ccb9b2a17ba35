/** A company that is renamed keeps the tenements that its former name holds, while nobody else bears it. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { prune } from "../../src/loading/prune.ts"
import { readUnlinked } from "../../src/loading/unlinked.ts"
import { type Workbench, workbench } from "./workbench.ts"

let bench: Workbench
beforeAll(async () => {
  bench = await workbench()
})
afterAll(() => bench.close())

const directory = (...rows: string[]) =>
  bench.load("companies", `asx_code,company_name,is_active\n${rows.join("\n")}\n`, {
    acceptShrink: true,
  })

beforeEach(async () => {
  await bench.empty()
  await directory("QZA,Quarry Alpha Limited,true", "QZB,Quarry Beta NL,true")
  await bench.load(
    "tenements",
    "id,tenement_id,state,holder_name\nt1,E 1,WA,QUARRY ALPHA LTD\nt2,E 2,WA,Quarry Beta NL\n",
  )
})

const codes = async () =>
  (await bench.sql`select asx_codes from tenements order by id`).map((row) =>
    row.asx_codes.join(" "),
  )
const unlinked = async () => (await readUnlinked(bench.url)).map(({ name }) => name)

/** Totals are those of the lists, whatever the links are. */
async function expectTotals() {
  const unequal = await bench.sql`
    select asx_code from companies c
    where total_tenements <> (select count(*) from tenements t where c.asx_code = any(t.asx_codes))`
  expect([...unequal]).toEqual([])
}

test("a renamed company stays linked by its former names, and nothing of its tenements changes", async () => {
  const renamed = await directory("QZA,Renamed Limited,true", "QZB,Quarry Beta NL,true")
  expect(renamed.links).toMatchObject({ linked: 2, directly: 2, relinked: 0, unlinked_holders: 0 })
  expect(await codes()).toEqual(["QZA", "QZB"])
  await directory("QZA,Renamed Again Limited,true", "QZB,Quarry Beta Limited,true")
  expect(await codes()).toEqual(["QZA", "QZB"])
  expect(await unlinked()).toEqual([])
  await expectTotals()
})

test("new tenements of a former name are linked too, and of the name that a company took back", async () => {
  await directory("QZA,Renamed Limited,true", "QZB,Quarry Beta NL,true")
  await directory("QZA,Quarry Alpha Ltd,true", "QZB,Quarry Beta NL,true")
  await bench.load(
    "tenements",
    "id,tenement_id,state,holder_name\nt3,E 3,WA,RENAMED LTD\nt4,E 4,WA,QUARRY ALPHA LTD\n",
    { partial: true },
  )
  expect(await codes()).toEqual(["QZA", "QZB", "QZA", "QZA"])
})

test("pruning the history drops no link", async () => {
  const { release } = await directory("QZA,Renamed Limited,true", "QZB,Quarry Beta NL,true")
  await bench.sql`update releases set published_at = published_at - interval '90 days'`
  expect(await prune(bench.url, 1)).toMatchObject({ oldest: release })
  expect([...(await bench.sql`select from companies_history`)]).toEqual([])
  const after = await directory("QZA,Renamed Limited,true", "QZB,Quarry Beta NL,false")
  expect(after.links).toMatchObject({ linked: 2, relinked: 0 })
})

test.each([
  ["a listed company", ["QZC,Quarry Alpha Limited,true"], "", "QZC"],
  ["a company that is listed no longer", ["QZC,Quarry Alpha Limited,false"], "", "QZC"],
  ["a subsidiary", [], "s1,Quarry Alpha Limited,QZB", "QZB"],
  ["a subsidiary of a company that is not stored", [], "s1,Quarry Alpha Limited,QZX", ""],
])("a former name that %s bears belongs to it", async (_, others, subsidiary, owner) => {
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

test("a former name of two companies is linked to neither, unless both are listings of one", async () => {
  await directory("QZA,Renamed Limited,true", "QZB,Quarry Alpha Ltd,true")
  await directory("QZA,Renamed Limited,true", "QZB,Renamed Too NL,true")
  expect(await codes()).toEqual(["", "QZB"])
  await directory("QZA,Renamed Limited,true", "QZB,Renamed Limited,true")
  expect(await codes()).toEqual(["QZA", "QZA"])
})

test("the options of a company that is renamed first, or outlives them, take none of its tenements", async () => {
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

test("a code that another company has taken over links none of the names from before", async () => {
  await directory("QZA,Renamed Limited,true", "QZB,Quarry Beta NL,true")
  await directory("QZA,Renamed Limited,false", "QZB,Quarry Beta NL,true")
  expect(await codes()).toEqual(["QZA", "QZB"])
  await directory("QZA,Unrelated Limited,true", "QZB,Quarry Beta NL,true")
  expect(await codes()).toEqual(["", "QZB"])
  expect(await unlinked()).toEqual(["QUARRY ALPHA LTD"])
})

test("a name that changed between loads of years apart may be another company's", async () => {
  await bench.sql`update releases set published_at = published_at - interval '3 years'`
  await directory("QZA,Renamed Limited,true", "QZB,Quarry Beta NL,true")
  expect(await codes()).toEqual(["", "QZB"])
})
