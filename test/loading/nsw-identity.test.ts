/**
 * In New South Wales, titles of different acts have the same number. Each is a record of its own,
 * under an id that later loads find again, whatever the order of the rows.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { type Workbench, workbench } from "./workbench.ts"

let bench: Workbench
beforeAll(async () => {
  bench = await workbench()
})
afterAll(() => bench.close())
beforeEach(async () => {
  await bench.empty()
  bench.rejects()
})

const older = (...rows: string[]) =>
  ["TENID,TYPE,OWNER,TENSTATUS,AREA,GRANTDATE,EXPIREDATE", ...rows, ""].join("\n")
const olderWithAct = (...rows: string[]) =>
  ["TENID,TYPE,OWNER,TENSTATUS,AREA,GRANTDATE,EXPIREDATE,ACT_YEAR", ...rows, ""].join("\n")
const today = (...rows: string[]) =>
  ["tas_id,title,holder,company,grant_date,expiry_date", ...rows, ""].join("\n")
const view = (...rows: string[]) =>
  ["name,tenementType,status,owner,area,grantDate,expireDate", ...rows, ""].join("\n")

const holders = async () =>
  Object.fromEntries(
    (await bench.sql`select id, holder_name from tenements order by id`).map((row) => [
      row.id,
      row.holder_name,
    ]),
  )
const sources = async () =>
  Object.fromEntries(
    (await bench.sql`select id, source from tenements order by id`).map((row) => [
      row.id,
      row.source,
    ]),
  )

const first = "CML 7,CML,ALPHA PTY LTD,CURRENT,17.7 HA,19790203,20280203"
const second = "CML 7,CML,BETA NL,CURRENT,30 HA,19930607,20330607"
const other = "EL 9001,EL,ALPHA PTY LTD,CURRENT,12 HA,20100203,20280203"

test("titles of one number are told apart by their day of grant, in any order of the rows", async () => {
  const summary = await bench.load("nsw", older(first, second, other))
  expect(await holders()).toEqual({
    "NSW-CML7-1979-02-03": "ALPHA PTY LTD",
    "NSW-CML7-1993-06-07": "BETA NL",
    "NSW-EL9001": "ALPHA PTY LTD",
  })
  expect(summary.files[0]).toMatchObject({ read: 3, accepted: 3, rejected: 0 })
  expect((await bench.load("nsw", older(other, second, first))).release).toBeNull()
})

test("where the file has the year of the act, that tells them apart, as in today's titles", async () => {
  await bench.load(
    "nsw",
    olderWithAct(`${first},1973`, `${second},Mining Act 1992`, `${other},1992`),
  )
  const ids = ["NSW-CML7-1973", "NSW-CML7-1992", "NSW-EL9001"]
  expect(Object.keys(await holders())).toEqual(ids)
})

test("a title keeps its id when the other one of its number has ended, or has another holder", async () => {
  await bench.load("nsw", older(first, second))
  const transferred = second.replace("BETA NL", "GAMMA LTD").replace("30 HA", "20 HA")
  const summary = await bench.load("nsw", older(transferred), {
    acceptShrink: true,
    removeMissingNow: true,
  })
  expect(summary.resources.tenements).toMatchObject({ added: 0, changed: 1, removed: 1 })
  expect(await holders()).toEqual({ "NSW-CML7-1993-06-07": "GAMMA LTD" })
})

test("a title keeps its id when another one of its number is granted", async () => {
  await bench.load("nsw", older(first))
  expect(Object.keys(await holders())).toEqual(["NSW-CML7"])
  for (const rows of [[second, first], [first, second], [first]]) {
    const summary = await bench.load("nsw", older(...rows), {
      acceptShrink: true,
      removeMissingNow: true,
    })
    expect(summary.resources.tenements).toMatchObject({ changed: 0 })
    expect((await holders())["NSW-CML7"]).toBe("ALPHA PTY LTD")
  }
  expect(Object.keys(await holders())).toEqual(["NSW-CML7"])
})

test("a title that the file has twice, once without its area, is one record", async () => {
  const joint = [first, first.replace("ALPHA PTY LTD", "BETA NL")]
  const rows = joint.flatMap((row) => [row.replace("17.7 HA", "0 HA"), row])
  for (const order of [rows, rows.toReversed()]) {
    await bench.empty()
    const summary = await bench.load("nsw", older(...order))
    const [title, ...others] = await bench.sql`select id, holder_name, area_km2 from tenements`
    expect(title).toMatchObject({ id: "NSW-CML7", area_km2: 0.177 })
    expect(title?.holder_name.split("; ").sort()).toEqual(["ALPHA PTY LTD", "BETA NL"])
    expect(others).toEqual([])
    expect(summary.files[0]).toMatchObject({ accepted: 1, repeated: 3, rejected: 0 })
  }
})

test("a row without a day of grant completes the one title of its number", async () => {
  const bare = "CML 7,CML,ALPHA PTY LTD,CURRENT,0 HA,,"
  await bench.load("nsw", older(first, second))
  expect(Object.keys(await holders())).toHaveLength(2)
  await bench.load("nsw", older(bare, first), { acceptShrink: true, removeMissingNow: true })
  expect(await holders()).toEqual({ "NSW-CML7-1979-02-03": "ALPHA PTY LTD" })
})

test("beside two titles that are told apart, a row of neither stands by itself", async () => {
  await bench.load("nsw", older(first, second, "CML 7,CML,GAMMA LTD,CURRENT,0 HA,,"))
  expect(await holders()).toEqual({
    "NSW-CML7": "GAMMA LTD",
    "NSW-CML7-1979-02-03": "ALPHA PTY LTD",
    "NSW-CML7-1993-06-07": "BETA NL",
  })
})

test("titles of different numbers are never taken for one another", async () => {
  const titles = ["EL 5359 (1992)", "M(C)L 1990 (1973)", "M(C)L 1973 (1973)", "ML 1234A (1992)"]
  await bench.load("nsw", today(...titles.map((title) => `1,${title},ALPHA PTY LTD,,1997-10-15,`)))
  const others = ["EL 535", "EL 53", "M(C)L 19", "M(C)L", "ML 1234", "EL 5359 1"]
  const summary = await bench.load(
    "national-nsw",
    view(...others.map((name) => `${name},mining lease,granted,X,,1997-10-15,`)),
  )
  expect(summary.files[0]).toMatchObject({ accepted: 6, left_out: {} })
  expect(summary.resources.tenements).toMatchObject({ added: 6, changed: 0, removed: 0 })
})

test("where nothing tells two titles apart, both stand, under the same ids in any order of the rows", async () => {
  const rows = [
    "ML 78,ML,BETA NL,CURRENT,2 HA,20010131,20310131",
    "ML 78,ML,BETA NL,CURRENT,1 HA,20010131,20310131",
    "MLA 5,ML,ALPHA PTY LTD,APPLICATION,3 HA,,",
    "MLA 5,ML,GAMMA LTD,APPLICATION,9 HA,,",
  ]
  const summary = await bench.load("nsw", older(...rows))
  expect(summary.files[0]).toMatchObject({ accepted: 4, repeated: 0, rejected: 0 })
  const areas = await bench.sql`select id, area_km2 from tenements order by id`
  expect(areas.map(({ id, area_km2 }) => [id, area_km2])).toEqual([
    ["NSW-ML78", 0.01],
    ["NSW-ML78~2", 0.02],
    ["NSW-MLA5", 0.03],
    ["NSW-MLA5~2", 0.09],
  ])
  expect((await bench.load("nsw", older(...rows.toReversed()))).release).toBeNull()
  const changed = rows.map((row) => row.replaceAll("GAMMA LTD", "AARON LTD"))
  const again = await bench.load("nsw", older(...changed))
  expect(again.resources.tenements).toMatchObject({ added: 0, changed: 1, removed: 0 })
})

test("rows of other states with one reference are a conflict, and so are rows of two files", async () => {
  const row = "EL 1,exploration licence,granted,X,1 km2,2001-01-31,"
  const conflict = row.replace("2001", "2002")
  expect((await bench.load("national-vic", view(row, conflict))).files[0]).toMatchObject({
    accepted: 1,
    rejected: 1,
  })
  await bench.empty()
  const files = ["1 HA", "2 HA"].map((area, nth) =>
    bench.file(`${nth}.csv`, older(`ML 78,ML,BETA NL,CURRENT,${area},20010131,20310131`)),
  )
  const summary = await bench.load("nsw", files)
  expect(summary.files.map(({ rejected }) => rejected)).toEqual([0, 1])
})

test("a rejected row does not remove the title that it is of", async () => {
  await bench.load("nsw", older(first, second, other))
  const faulty = second.replace("BETA NL", `BETA \u0000NL`)
  const summary = await bench.load("nsw", older(first, faulty, other))
  expect(summary.files[0]?.rejected).toBe(1)
  expect(summary.release).toBeNull()
})

test("a rejected row does not remove the title that it is of, where that has the plain id", async () => {
  await bench.load("nsw", older(first))
  await bench.load("nsw", older(first, second))
  const faulty = first.replace("ALPHA", "ALPHA \u0000")
  const summary = await bench.load("nsw", older(faulty, second))
  expect([summary.files[0]?.rejected, summary.release]).toEqual([1, null])
})

const viewRow = "EL 5359,exploration licence,granted,ALPHA PTY LTD,12 km2,1997-10-15,2027-10-15"
const titleRow = "1,EL 5359 (1992),ALPHA PTY LTD,,1997-10-15,2027-10-15"

test("a title of the register is the one that the national view has without its act", async () => {
  await bench.load("nsw", today(titleRow))
  const summary = await bench.load("national-nsw", view(viewRow))
  expect(summary.release).toBeNull()
  expect(summary.files[0]?.left_out).toEqual({ "already loaded from nsw": 1 })
  expect(await sources()).toEqual({ "NSW-EL5359-1992": "nsw" })
})

test("loaded afterwards, the register replaces what the national view has of a title", async () => {
  await bench.load("national-nsw", view(viewRow, viewRow.replace("EL 5359", "EL 5360")))
  const summary = await bench.load("nsw", today(titleRow))
  expect(summary.resources.tenements).toMatchObject({ added: 1, changed: 0, removed: 1 })
  const expected = { "NSW-EL5359-1992": "nsw", "NSW-EL5360": "national-nsw" }
  expect(await sources()).toEqual(expected)
  const again = await bench.load(
    "national-nsw",
    view(viewRow, viewRow.replace("EL 5359", "EL 5360")),
  )
  expect(again.release).toBeNull()
  expect(await sources()).toEqual(expected)
  const [before] = await bench.sql`select since_release, until_release from tenements_history`
  expect(before).toEqual({ since_release: 1, until_release: 2 })
})

test("what an earlier version has loaded twice is one record after the next load of either source", async () => {
  for (const [source, rows] of [
    ["nsw", today(titleRow)],
    ["national-nsw", view(viewRow)],
  ] as const) {
    await bench.empty()
    await bench.load("national-nsw", view(viewRow))
    await bench.sql.unsafe(`
      create temporary table copy as select * from tenements;
      update copy set id = 'NSW-EL5359-1992', tenement_id = 'EL5359 (1992)', source = 'nsw',
        area_km2 = null;
      insert into tenements select * from copy;
      drop table copy`)
    expect(Object.keys(await sources())).toHaveLength(2)
    const summary = await bench.load(source, rows)
    expect(summary.resources.tenements).toMatchObject({ added: 0, removed: 1 })
    expect(await sources()).toEqual({ "NSW-EL5359-1992": "nsw" })
  }
})

test("two titles of one number in the national view are those of the register that were granted on their days", async () => {
  const rows = [
    "CML 7,consolidated mining lease,granted,ALPHA PTY LTD,,1979-02-03,",
    "CML 7,consolidated mining lease,granted,BETA NL,,1993-06-07,",
    "CML 7,consolidated mining lease,granted,GAMMA LTD,,2001-06-07,",
  ]
  const titles = [
    "1,CML 7 (1973),ALPHA PTY LTD,,1979-02-03,",
    "2,CML 7 (1992),BETA NL,,1993-06-07,",
  ]
  const expected = {
    "NSW-CML7-1973": "nsw",
    "NSW-CML7-1992": "nsw",
    "NSW-CML7-2001-06-07": "national-nsw",
  }
  await bench.load("nsw", today(...titles))
  const summary = await bench.load("national-nsw", view(...rows))
  expect(summary.files[0]?.left_out).toEqual({ "already loaded from nsw": 2 })
  expect(await sources()).toEqual(expected)
  await bench.empty()
  await bench.load("national-nsw", view(...rows))
  await bench.load("nsw", today(...titles))
  expect(await sources()).toEqual(expected)
})

test("today's register replaces the titles of the older export, of which no share is too many", async () => {
  await bench.load("nsw", older(other, first))
  const summary = await bench.load(
    "nsw",
    today(
      "1,EL 9001 (1992),ALPHA PTY LTD,,2010-02-03,",
      "2,CML 7 (1973),ALPHA PTY LTD,,1979-02-03,",
    ),
  )
  expect(summary.resources.tenements).toMatchObject({ added: 2, removed: 2 })
  expect(Object.keys(await sources())).toEqual(["NSW-CML7-1973", "NSW-EL9001-1992"])
})
