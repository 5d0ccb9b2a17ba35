/** In New South Wales, titles of different acts have the same number: the year of the act is part of the id. */
import { expect, test } from "bun:test"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const older = (...rows: string[]) =>
  ["TENID,TYPE,OWNER,TENSTATUS,AREA,GRANTDATE,EXPIREDATE", ...rows, ""].join("\n")
const olderWithAct = (...rows: string[]) =>
  ["TENID,TYPE,OWNER,TENSTATUS,AREA,GRANTDATE,EXPIREDATE,ACT_YEAR", ...rows, ""].join("\n")
const today = (...rows: string[]) =>
  ["tas_id,title,holder,company,grant_date,expiry_date", ...rows, ""].join("\n")

const holders = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await bench.sql`select id, holder_name from tenements order by id`).map((row) => [
      row.id,
      row.holder_name,
    ]),
  )

const first = "CML 7,CML,ALPHA PTY LTD,CURRENT,17.7 HA,19790203,20280203"
const second = "CML 7,CML,BETA NL,CURRENT,30 HA,19930607,20330607"

test("An id is the reference and the year of its act, stated in the title or a column", async () => {
  const ids = { "NSW-CML7-1973": "ALPHA PTY LTD", "NSW-CML7-1992": "BETA NL" }
  await bench.load("nsw", olderWithAct(`${first},1973`, `${second},Mining Act 1992`))
  expect(await holders()).toEqual(ids)
  await bench.empty()
  const titles = ["CML 7 (1973),ALPHA PTY LTD", "CML 7 (1992),BETA NL"]
  await bench.load("nsw", today(...titles.map((title) => `1,${title},,1997-10-15,`)))
  expect(await holders()).toEqual(ids)
})

test("Without an act the id is the reference", async () => {
  await bench.load("nsw", olderWithAct(`${first},`))
  expect(await holders()).toEqual({ "NSW-CML7": "ALPHA PTY LTD" })
})

test("A title listed twice, once without its area, is one record", async () => {
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

const cure =
  "add --accept-shrink --remove-missing-now; if they are another part of the source, add --partial"

test("A layout that changes the ids stops the load, and the message names the cure", async () => {
  const numbers = Array.from({ length: 60 }, (_, index) => index + 100)
  await bench.load(
    "nsw",
    older(...numbers.map((n) => `ML ${n},ML,ALPHA PTY LTD,CURRENT,${n} HA,20010131,20310131`)),
  )
  const withYears = today(...numbers.map((n) => `1,ML ${n} (1992),ALPHA PTY LTD,,2001-01-31,`))
  expect(await bench.refusal("nsw", withYears)).toBe(
    "Nothing was published: 60 of the 60 tenements of the source nsw (100.0%) are missing from the files, and were not before. " +
      "Among them are NSW-ML159 (ML159, ALPHA PTY LTD); NSW-ML158 (ML158, ALPHA PTY LTD); NSW-ML157 (ML157, ALPHA PTY LTD). " +
      `No id in the files is stored: the ids have changed with the layout. To replace the tenements, ${cure}`,
  )
  const mostly = `${withYears}1,ML 100,ALPHA PTY LTD,,2001-01-31,\n`
  expect(await bench.refusal("nsw", mostly)).toEndWith(
    ` The files have 60 new ids. If the ids have changed with the layout, ${cure}`,
  )
  const cured = { acceptShrink: true, removeMissingNow: true }
  const { changes } = await bench.load("nsw", withYears, cured)
  expect(changes).toMatchObject({ added: 60, changed: 0, removed: 60 })
})
