/**
 * In New South Wales, titles of different acts have the same number. Each is a record of its own,
 * under an id that later loads find again, whatever the order of the rows.
 */
import { describe, expect, test } from "bun:test"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const older = (...rows: string[]) =>
  ["TENID,TYPE,OWNER,TENSTATUS,AREA,GRANTDATE,EXPIREDATE", ...rows, ""].join("\n")
const olderWithAct = (...rows: string[]) =>
  ["TENID,TYPE,OWNER,TENSTATUS,AREA,GRANTDATE,EXPIREDATE,ACT_YEAR", ...rows, ""].join("\n")
const today = (...rows: string[]) =>
  ["tas_id,title,holder,company,grant_date,expiry_date", ...rows, ""].join("\n")
const view = (...rows: string[]) =>
  ["name,tenementType,status,owner,area,grantDate,expireDate", ...rows, ""].join("\n")

/** The values of a column by the ids of the tenements. */
const valuesOf = async (column: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await bench.sql`select id, ${bench.sql(column)} as value from tenements order by id`).map(
      ({ id, value }) => [id, value],
    ),
  )
const holders = () => valuesOf("holder_name")
const sources = () => valuesOf("source")

/** Removes at once what the files lack, however much that is. */
const now = { acceptShrink: true, removeMissingNow: true }

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
  const summary = await bench.load("nsw", older(transferred), now)
  expect(summary.resources.tenements).toMatchObject({ added: 0, changed: 1, removed: 1 })
  expect(await holders()).toEqual({ "NSW-CML7-1993-06-07": "GAMMA LTD" })
})

test("a title keeps its id when another one of its number is granted", async () => {
  await bench.load("nsw", older(first))
  expect(Object.keys(await holders())).toEqual(["NSW-CML7"])
  for (const rows of [[second, first], [first, second], [first]]) {
    const summary = await bench.load("nsw", older(...rows), now)
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
  await bench.load("nsw", older(bare, first), now)
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

test("beside two titles, one of which has the plain id, a row of neither has a number", async () => {
  await bench.load("nsw", older(first))
  const bare = "CML 7,CML,GAMMA LTD,CURRENT,0 HA,,"
  await bench.load("nsw", olderWithAct(`${first},1973`, `${second},1992`, `${bare},`))
  expect(await holders()).toEqual({
    "NSW-CML7": "ALPHA PTY LTD",
    "NSW-CML7-1992": "BETA NL",
    "NSW-CML7~2": "GAMMA LTD",
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

describe("a title is the same record in files of another layout", () => {
  const todayFirst = "2,CML 7 (1973),ALPHA PTY LTD,,1979-02-03,2028-02-03"
  const todaySecond = "3,CML 7 (1992),BETA NL,,1993-06-07,2033-06-07"
  const stored = async () =>
    (
      await bench.sql`select id, tenement_id, holder_name as holder,
        round((area_km2 * 100)::numeric)::integer as hectares from tenements order by id`
    ).map(({ id, tenement_id, holder, hectares }) => [id, tenement_id, holder, hectares])

  test("it keeps its id, its history and what the files say nothing of", async () => {
    await bench.load("nsw", older(other, first))
    const layouts = [
      today("1,EL 9001 (1992),ALPHA PTY LTD,,2010-02-03,2028-02-03", todayFirst),
      older(other, first),
    ]
    for (const layout of layouts) {
      const summary = await bench.load("nsw", layout)
      expect(summary.resources.tenements).toEqual({
        added: 0,
        changed: 2,
        removed: 0,
        deactivated: 0,
      })
      expect((await bench.load("nsw", layout)).release).toBeNull()
      const isToday = layout === layouts[0]
      expect(await stored()).toEqual([
        ["NSW-CML7", isToday ? "CML7 (1973)" : "CML7", "ALPHA PTY LTD", 18],
        ["NSW-EL9001", isToday ? "EL9001 (1992)" : "EL9001", "ALPHA PTY LTD", 12],
      ])
    }
    const versions = await bench.sql`
      select since_release, until_release from tenements_history where id = 'NSW-CML7' order by 1`
    expect(versions.map((version) => Object.values(version))).toEqual([
      [1, 2],
      [2, 3],
    ])
  })

  test("so the ids of today's register stay when the older export is loaded", async () => {
    await bench.load("nsw", today(todayFirst, todaySecond))
    for (const rows of [[first, second], [second, first], [first]]) {
      await bench.load("nsw", older(...rows), { acceptShrink: true })
      expect(await stored()).toMatchObject([
        ["NSW-CML7-1973", expect.anything(), "ALPHA PTY LTD", 18],
        ["NSW-CML7-1992", expect.anything(), "BETA NL", 30],
      ])
    }
  })

  test("titles of one number are told apart, whichever the earlier file had", async () => {
    await bench.load("nsw", older(second))
    await bench.load("nsw", today(todayFirst, todaySecond))
    const expected = [
      ["NSW-CML7", "CML7 (1992)", "BETA NL", 30],
      ["NSW-CML7-1973", "CML7 (1973)", "ALPHA PTY LTD", null],
    ]
    expect(await stored()).toEqual(expected)
    expect((await bench.load("nsw", today(todaySecond, todayFirst))).release).toBeNull()
    // Alone, the other one has the plain id in its file.
    const summary = await bench.load("nsw", older(first), { acceptShrink: true })
    expect(summary.resources.tenements).toMatchObject({ added: 0, changed: 1, removed: 0 })
    expect(await stored()).toEqual([
      ["NSW-CML7", "CML7 (1992)", "BETA NL", 30],
      ["NSW-CML7-1973", "CML7", "ALPHA PTY LTD", 18],
    ])
  })

  test("a title without its act does not take the id of one whose act is named", async () => {
    await bench.load("nsw", older(second))
    await bench.load("nsw", today("2,CML 7,ALPHA PTY LTD,,1979-02-03,2028-02-03", todaySecond))
    expect(await stored()).toEqual([
      ["NSW-CML7", "CML7 (1992)", "BETA NL", 30],
      ["NSW-CML7-1979-02-03", "CML7", "ALPHA PTY LTD", null],
    ])
  })

  test("titles that had to be numbered are found by their holders", async () => {
    const numbered = ["ALPHA PTY LTD", "BETA NL"].map(
      (holder, nth) => `CML 7,CML,${holder},CURRENT,${nth + 1} HA,,`,
    )
    await bench.load("nsw", older(...numbered))
    const [one, two] = await stored()
    const summary = await bench.load("nsw", today(todayFirst, todaySecond))
    expect(summary.resources.tenements).toMatchObject({ added: 0, changed: 2, removed: 0 })
    expect((await stored()).map(([id, , holder]) => [id, holder])).toEqual(
      [one, two].map((title) => [title?.[0], title?.[2]]),
    )
  })

  test("one that agrees in nothing is another, and the stored one is missing first", async () => {
    await bench.load("nsw", older(first, other))
    const rows = today(todaySecond, "1,EL 9001 (1992),ALPHA PTY LTD,,2010-02-03,2028-02-03")
    expect(await bench.refusal("nsw", rows)).toContain(
      "1 of the 2 tenements of the source nsw (50.0%) are missing from the files",
    )
    const summary = await bench.load("nsw", rows, { acceptShrink: true })
    expect(summary.resources.tenements).toMatchObject({ added: 1, changed: 1, removed: 0 })
    expect(summary.missing.tenements).toEqual({ missing: 1, newly: 1, returned: 0 })
  })

  test("a change of layout counts all stored titles where some are missing", async () => {
    const titles = Array.from({ length: 60 }, (_, n) => n + 100)
    await bench.load(
      "nsw",
      older(...titles.map((n) => `ML ${n},ML,ALPHA PTY LTD,CURRENT,${n} HA,20010131,20310131`)),
    )
    const rows = (from: number) =>
      today(...titles.slice(from).map((n) => `1,ML ${n} (1992),ALPHA PTY LTD,,2001-01-31,`))
    expect(await bench.refusal("nsw", rows(4), { acceptEmpty: ["expiry_date"] })).toContain(
      "4 of the 60 tenements of the source nsw (6.7%) are missing from the files",
    )
    const summary = await bench.load("nsw", rows(3), { acceptEmpty: ["expiry_date"] })
    expect(summary.resources.tenements).toMatchObject({ added: 0, changed: 57, removed: 0 })
    expect(summary.missing.tenements).toMatchObject({ missing: 3 })
    expect(summary.kept.tenements).toEqual({ area_km2: 57 })
    const [areas] = await bench.sql`select count(area_km2)::integer as known from tenements`
    expect(areas?.known).toBe(60)
  })
})

describe("titles that nothing tells apart are found again", () => {
  const numbered = (holder: string, area: string, dates = ",") =>
    `MLA 5,ML,${holder},APPLICATION,${area} HA,${dates}`
  const alpha = numbered("ALPHA PTY LTD", "3")
  const gamma = numbered("GAMMA LTD", "9")
  const titles = async () =>
    (
      await bench.sql`select id, holder_name, round((area_km2 * 100)::numeric)::integer as hectares
        from tenements where state = 'NSW' order by id`
    ).map(({ id, holder_name, hectares }) => [id, holder_name, hectares])

  test.each<[string, string[], [string, string, number][]]>([
    [
      "by the holder, where areas change so that their order does",
      [numbered("ALPHA PTY LTD", "20"), gamma],
      [
        ["NSW-MLA5", "ALPHA PTY LTD", 20],
        ["NSW-MLA5~2", "GAMMA LTD", 9],
      ],
    ],
    [
      "by the holder in other words, and by the area",
      [numbered("Alpha Pty. Limited", "20"), numbered("AARON LTD", "9")],
      [
        ["NSW-MLA5", "Alpha Pty. Limited", 20],
        ["NSW-MLA5~2", "AARON LTD", 9],
      ],
    ],
    ["alone, when the first has ended", [gamma], [["NSW-MLA5~2", "GAMMA LTD", 9]]],
    [
      "alone, when it has changed too",
      [numbered("GAMMA LTD", "1")],
      [["NSW-MLA5~2", "GAMMA LTD", 1]],
    ],
    [
      "beside a new one, which has a number of its own",
      [numbered("AARON LTD", "1"), alpha, gamma],
      [
        ["NSW-MLA5", "ALPHA PTY LTD", 3],
        ["NSW-MLA5~2", "GAMMA LTD", 9],
        ["NSW-MLA5~3", "AARON LTD", 1],
      ],
    ],
    [
      "beside a new one that comes when the first has ended, whose number is not given again",
      [numbered("AARON LTD", "1"), gamma],
      [
        ["NSW-MLA5~2", "GAMMA LTD", 9],
        ["NSW-MLA5~3", "AARON LTD", 1],
      ],
    ],
    [
      "when each agrees in something with both",
      [numbered("ALPHA PTY LTD", "9"), numbered("BETA NL", "3")],
      [
        ["NSW-MLA5", "BETA NL", 3],
        ["NSW-MLA5~2", "ALPHA PTY LTD", 9],
      ],
    ],
  ])("%s", async (_, rows, expected) => {
    await bench.load("nsw", older(gamma, alpha))
    await bench.load("nsw", older(...rows), now)
    expect(await titles()).toEqual(expected)
    expect((await bench.load("nsw", older(...rows.toReversed()), now)).release).toBeNull()
  })

  test("also when a title of another day of grant comes, and the first has ended", async () => {
    const rows = [1, 2].map((area) => `ML 78,ML,BETA NL,CURRENT,${area} HA,20010131,20310131`)
    await bench.load("nsw", older(...rows))
    await bench.load("nsw", older(rows[1] ?? ""), now)
    expect(await titles()).toEqual([["NSW-ML78~2", "BETA NL", 2]])
    const later = "ML 78,ML,GAMMA LTD,CURRENT,7 HA,20110131,20310131"
    await bench.load("nsw", older(later, rows[1] ?? ""), now)
    expect(await titles()).toEqual([
      ["NSW-ML78-2011-01-31", "GAMMA LTD", 7],
      ["NSW-ML78~2", "BETA NL", 2],
    ])
  })

  test("many of one number cost no more than a moment, and keep their ids", async () => {
    const rows = Array.from({ length: 1000 }, (_, n) => numbered(`HOLDER ${n} LTD`, `${n + 1}`))
    await bench.load("nsw", older(...rows))
    const before = await titles()
    expect(before).toHaveLength(1000)
    expect((await bench.load("nsw", older(...rows.toReversed()))).release).toBeNull()
    const changed = rows.with(1, numbered("HOLDER 1 LTD", "9999"))
    const summary = await bench.load("nsw", older(...changed), now)
    expect(summary.resources.tenements).toMatchObject({ added: 0, changed: 1, removed: 0 })
  })
})

test("a rejected row protects every title that it may be of", async () => {
  const faulty = "ML 78,ML,BETA \u0000NL,CURRENT,2 HA,20010131,20310131"
  const rows = [1, 2].map((area) => `ML 78,ML,BETA NL,CURRENT,${area} HA,20010131,20310131`)
  for (const given of [[faulty], [faulty, rows[0] ?? ""], [rows[1] ?? "", faulty]]) {
    await bench.empty()
    await bench.load("nsw", older(...rows, other))
    const summary = await bench.load("nsw", older(...given, other), { removeMissingNow: true })
    expect([summary.files[0]?.rejected, summary.release]).toEqual([1, null])
  }
  await bench.empty()
  await bench.load("nsw", older(first, second))
  // Its day of grant, by which it is told apart, is what is wrong with it.
  const withoutDay = second.replace("19930607", "soon").replace("BETA", "BETA \u0000")
  const summary = await bench.load("nsw", older(first, withoutDay), { removeMissingNow: true })
  expect([summary.files[0]?.rejected, summary.release]).toEqual([1, null])
})

describe("of two titles of one number, the one that a refused file has does not prove the other", () => {
  const many = Array.from({ length: 40 }, (_, n) => other.replace("9001", `${9002 + n}`))
  const missing = async () =>
    (await bench.sql`select key from missing_records`).map(({ key }) => key)
  const at = (day: number) => ({ observed: `2020-01-0${day}` })

  test.each([
    ["told apart by their days", first, second, "NSW-CML7-1993-06-07"],
    ["numbered", first, first.replace("ALPHA", "BETA").replace("17.7", "30"), "NSW-CML7~2"],
  ])("%s", async (_, kept, lacking, id) => {
    await bench.load("nsw", older(kept, lacking, ...many), at(1))
    await bench.load("nsw", older(kept, ...many), at(2))
    expect(await missing()).toEqual([id])
    await bench.refusal("nsw", older(kept), at(3))
    expect(await missing()).toEqual([id])
    await bench.refusal("nsw", older(kept, lacking), at(3))
    expect(await missing()).toEqual([])
  })

  test("but a row that is rejected may be either", async () => {
    await bench.load("nsw", older(first, second, ...many), at(1))
    await bench.load("nsw", older(first, ...many), at(2))
    await bench.refusal("nsw", older(first.replace("ALPHA", "ALPHA \u0000")), {
      ...at(3),
      maxRejects: 1,
    })
    expect(await missing()).toEqual([])
  })
})
