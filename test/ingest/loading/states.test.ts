/** Registers of which no real file is available are read from their documented columns. */
import { expect, test } from "bun:test"
import { closed, square } from "../../data/places/shapes.ts"
import { dbaseFile, shapefile, zipFile } from "./packed-files.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const file = (...lines: string[]) => `${lines.join("\r\n")}\r\n`

test("NSW's older export loads with units left out, dates as yyyyMMdd and a title's rows joined", async () => {
  const summary = await bench.load(
    "nsw",
    file(
      "TENID,TYPE,OWNER,TENSTATUS,AREA,GRANTDATE,EXPIREDATE",
      "EL 9001,EL,ALPHA PTY LTD,CURRENT,12 UNITS,20100203,20280203",
      "ML 77,MINING LEASE,ALPHA PTY LTD,CURRENT,17.7 HA,20010131,20310131",
      "ML 77,MINING LEASE,BETA NL,CURRENT,17.7 HA,20010131,20310131",
      "ML 77,MINING LEASE,ALPHA PTY LTD,CURRENT,17.7 HA,20010131,20310131",
      "ML 78,MINING LEASE,BETA NL,CURRENT,1 HA,20010131,20310131",
      "ML 78,MINING LEASE,BETA NL,CURRENT,2 HA,20010131,20310131",
      "ELA 5,EL,GAMMA,PONDERED,,,",
    ),
  )
  expect(await bench.tenements()).toEqual({
    "NSW-EL9001":
      "EL9001 | NSW | granted | exploration | ALPHA PTY LTD | 2010-02-03 | 2028-02-03 | –",
    "NSW-ELA5": "ELA5 | NSW | – | exploration | GAMMA | – | – | –",
    "NSW-ML77":
      "ML77 | NSW | granted | mining | ALPHA PTY LTD; BETA NL | 2001-01-31 | 2031-01-31 | 0.177",
    "NSW-ML78": "ML78 | NSW | granted | mining | BETA NL | 2001-01-31 | 2031-01-31 | 0.01",
  })
  expect(summary.files[0]).toMatchObject({ read: 7, accepted: 4, repeated: 2, rejected: 1 })
  expect(summary.files[0]?.warnings).toEqual({
    "area_km2 is in UNITS, which have no exact area": 1,
    'status has no mapping for "PONDERED"': 1,
  })
  const [joint] = await bench.sql`
    select holder_name_folded, holder_keys from tenements where id = 'NSW-ML77'`
  expect(joint).toEqual({
    holder_name_folded: "alpha pty ltd; beta nl",
    holder_keys: ["ALPHA PTY LTD", "BETA NL"],
  })
})

test("All holders of a tenement are joined, however many, or all of its rows are rejected", async () => {
  const rows = (count: number) => [
    "TENID,TYPE,OWNER,TENSTATUS,AREA,GRANTDATE,EXPIREDATE",
    ...Array.from(
      { length: count },
      (_, index) => `ML 1,ML,HOLDER ${index} OF A MINE LIMITED,CURRENT,1 HA,20010131,20310131`,
    ),
    "ML 2,ML,ALPHA PTY LTD,CURRENT,1 HA,20010131,20310131",
  ]
  const summary = await bench.load("nsw", file(...rows(200)))
  expect(summary.files[0]).toMatchObject({ accepted: 2, repeated: 199, rejected: 0 })
  const [title] = await bench.sql`select cardinality(holder_keys) as count from tenements`
  expect(title?.count).toBe(200)
  expect((await bench.load("nsw", file(...rows(0)))).missing).toMatchObject({ missing: 1 })
  const { release, files, missing } = await bench.load("nsw", file(...rows(900)))
  expect([release, files[0]?.rejected]).toEqual([null, 900])
  expect(missing).toMatchObject({ missing: 0, returned: 1 })
  expect(bench.rejects()[0]).toMatchObject({
    line: 2,
    reason: "holder_name of all rows of NSW-ML1 together is longer than 20000 characters",
  })
})

test("Rows are joined only where the source declares it; in own columns they conflict", async () => {
  const rows = "id,tenement_id,state,holder_name\nt1,E 1,NSW,ALPHA\nt1,E 1,NSW,BETA\n"
  const summary = await bench.load("tenements", rows)
  expect(summary.files[0]).toMatchObject({ accepted: 1, repeated: 0, rejected: 1 })
  const [kept] = await bench.sql`select holder_name from tenements where id = 't1'`
  expect(kept).toEqual({ holder_name: "ALPHA" })
})

test("In NSW's current export a title's letters determine the type, and a grant date means granted", async () => {
  const summary = await bench.load(
    "nsw",
    file(
      "tas_id,title,holder,company,grant_date,expiry_date",
      "1,EL 8123 (1992),ALPHA PTY LTD; BETA NL,Alpha,2014-05-28,2027-05-28",
      "2,MPL 123 (1973),,GAMMA LTD,28/05/1974,",
      "3,ELA 6512,ALPHA PTY LTD,Alpha,,",
      "4,XX 1,ALPHA PTY LTD,Alpha,,",
      "5,MELA 1,ALPHA PTY LTD,Alpha,,",
    ),
  )
  expect(await bench.tenements()).toEqual({
    "NSW-EL8123-1992":
      "EL8123 (1992) | NSW | granted | exploration | ALPHA PTY LTD; BETA NL | 2014-05-28 | 2027-05-28 | –",
    "NSW-ELA6512": "ELA6512 | NSW | pending | exploration | ALPHA PTY LTD | – | – | –",
    "NSW-MELA1": "MELA1 | NSW | pending | exploration | ALPHA PTY LTD | – | – | –",
    "NSW-MPL123-1973": "MPL123 (1973) | NSW | granted | mining | GAMMA LTD | 1974-05-28 | – | –",
    "NSW-XX1": "XX1 | NSW | – | – | ALPHA PTY LTD | – | – | –",
  })
  expect(summary.files[0]?.warnings).toEqual({ 'type has no mapping for "XX"': 1 })
})

/** The columns that the state's metadata of 2014 names, as a shapefile truncates them. */
const nswColumns = [
  ...["TITLE_CODE", "TITLE_NO", "ACT_YEAR", "GRANT_DATE", "LAST_RENEW", "EXPIRY_DAT", "TITLE_AREA"],
  ...["COMPANY", "AREA"],
].map((name) => {
  const isDate = /_DATE?$|RENEW/.test(name)
  return {
    name,
    type: isDate ? "D" : name === "AREA" ? "F" : "C",
    length: isDate ? 8 : 40,
  } as const
})
const nswTitle = (code: string, number: string, area: string, act = "1992", holder = "ALPHA") => {
  const dates = ["20100203", "20150203", "20280203"]
  return [code, number, act, ...dates, area, `${holder} PTY LTD`, "0.0123"]
}
const gda94 =
  'GEOGCS["GCS_GDA_1994",DATUM["D_GDA_1994",SPHEROID["GRS_1980",6378137,298.257222101]],PRIMEM["Greenwich",0],UNIT["Degree",0.017453292519943295]]'

test("In NSW's shapefile of 2013 to 2016 code, number and act are the id, and the area is the stated one", async () => {
  const rows = [
    nswTitle("EL", "7646", "270 UNITS"),
    nswTitle("ML", "7646", "574 HA"),
    nswTitle("CML", "6", "3 KM2", "1973"),
    nswTitle("CML", "6", "73 M2"),
    nswTitle("CML", "6", "73 M2"),
    nswTitle("CML", "6", "73 M2", "1992", "BETA"),
    nswTitle("ML", "9", "2 HA"),
    nswTitle("ML", "9", "1 KM2"),
    ...["PL(MP)L", "S(C&PL)L", "M(C)L", "MPL", "DSL"].map((code) => nswTitle(code, "1", "0")),
  ]
  const zip = zipFile({
    "titles.shp": shapefile(rows.map((_, index) => [closed(square(145 + index / 2, -31, 0.1))])),
    "titles.dbf": dbaseFile(nswColumns, rows),
    "titles.prj": gda94,
  })
  const summary = await bench.load("nsw", [bench.file("titles.zip", zip)])
  const of = (title: string, type: string, area = "–", holders = "ALPHA PTY LTD") =>
    `${title} | NSW | granted | ${type} | ${holders} | 2010-02-03 | 2028-02-03 | ${area}`
  expect(await bench.tenements()).toEqual({
    "NSW-CML6-1973": of("CML6", "mining", "3"),
    "NSW-CML6-1992": of("CML6", "mining", "0.000073", "ALPHA PTY LTD; BETA PTY LTD"),
    "NSW-DSL1-1992": of("DSL1", "miscellaneous"),
    "NSW-EL7646-1992": of("EL7646", "exploration"),
    "NSW-M-C-L1-1992": of("M(C)L1", "mining"),
    "NSW-ML7646-1992": of("ML7646", "mining", "5.74"),
    "NSW-ML9-1992": of("ML9", "mining", "0.02"),
    "NSW-MPL1-1992": of("MPL1", "mining"),
    "NSW-PL-MP-L1-1992": of("PL(MP)L1", "mining"),
    "NSW-S-C-PL-L1-1992": of("S(C&PL)L1", "mining"),
  })
  const parts = await bench.sql`
    select id, count(*)::integer as parts from tenements join shape_parts on shape = geometry
    group by id having count(*) > 1`
  expect([...parts]).toEqual([{ id: "NSW-CML6-1992", parts: 3 }])
  expect(summary.files[0]).toMatchObject({ read: 13, accepted: 10, repeated: 2, rejected: 1 })
  expect(summary.files[0]?.warnings).toEqual({
    "area_km2 is in UNITS, which have no exact area": 1,
  })
  expect(bench.rejects()).toMatchObject([{ record: 8, row: { id: "NSW-ML9-1992", area_km2: 1 } }])
})

test("Victoria's hectares become square kilometres", async () => {
  await bench.load(
    "vic",
    file(
      "tno,typedesc,statussdsc,own_name,grant1_dt,expl_dt,hectares,other",
      "EL005460,Exploration Licence,Current,ALPHA PTY LTD,2014-05-28,2027-05-28,1234.5,x",
      "MIN006,Mining Licence,Application,BETA NL,,,0,x",
    ),
  )
  expect(await bench.tenements()).toEqual({
    "VIC-EL005460":
      "EL005460 | VIC | granted | exploration | ALPHA PTY LTD | 2014-05-28 | 2027-05-28 | 12.345",
    "VIC-MIN006": "MIN006 | VIC | pending | mining | BETA NL | – | – | –",
  })
})

test("Tasmania's register has the national view's columns in capitals", async () => {
  await bench.load(
    "tas",
    file(
      "NAME,TENEMENTTYPE,STATUS,OWNER,GRANTDATE,EXPIREDATE",
      "EL12/2019,Exploration Licence,Granted,ALPHA PTY LTD,2019-10-01,2029-10-01",
      "12M/2009,Mining Lease,Surrendered,,1/07/2009,",
    ),
  )
  expect(await bench.tenements()).toEqual({
    "TAS-12M-2009": "12M/2009 | TAS | surrendered | mining | – | 2009-07-01 | – | –",
    "TAS-EL12-2019":
      "EL12/2019 | TAS | granted | exploration | ALPHA PTY LTD | 2019-10-01 | 2029-10-01 | –",
  })
})

test("Tasmania's shapefiles in a zip file load together, without exploration release areas", async () => {
  const columns = ["NAME", "TENEMENTTY", "STATUS", "OWNER", "GRANTDATE", "EXPIREDATE"].map(
    (name) => ({ name, type: "C", length: 30 }) as const,
  )
  const licence = ["EL12/2019", "EL", "Granted", "ALPHA PTY LTD", "20191001", "20291001"]
  const lease = ["12M/2009", "P/M", "Granted", "BETA NL", "", ""]
  const released = ["ERA1234", "ERA", "Advertised", "", "", ""]
  const zip = zipFile({
    "LEASES.dbf": dbaseFile(columns, [lease]),
    "LICENCES.dbf": dbaseFile(columns, [licence, released]),
    "UNAVAILABLE_AREAS.dbf": dbaseFile(columns.slice(0, 1), [["Reserve"]]),
  })
  const summary = await bench.load("tas", [bench.file("tenements.zip", zip)])
  expect(await bench.tenements()).toEqual({
    "TAS-12M-2009": "12M/2009 | TAS | granted | mining | BETA NL | – | – | –",
    "TAS-EL12-2019":
      "EL12/2019 | TAS | granted | exploration | ALPHA PTY LTD | 2019-10-01 | 2029-10-01 | –",
  })
  const areas = "exploration release areas, which are not tenements"
  expect(summary.files.map(({ left_out }) => left_out)).toEqual([{}, { [areas]: 1 }])
  expect(summary.files[1]?.notes).toEqual([
    expect.stringContaining("tenements.zip/UNAVAILABLE_AREAS.dbf was not read: column"),
  ])
})

const view = "name,tenementType,status,owner,area,grantDate,expireDate,applicationDate"

test("In the NT agents are not holders, and shares are not part of a name", async () => {
  const summary = await bench.load(
    "nt",
    file(
      view,
      'EL31234,Exploration Licence,Granted,"Holder - ALPHA PTY LTD (100%),\nAgent - WE ACT PTY LTD",10 km2,2016-05-20,2026-05-19,',
      'ML 1,ML,Application,"Holder - ALPHA PTY LTD (60%),\nHolder - BETA (NT) NL (40%)",5,,,2020-01-01',
    ),
  )
  expect(await bench.tenements()).toEqual({
    "NT-EL31234":
      "EL31234 | NT | granted | exploration | ALPHA PTY LTD | 2016-05-20 | 2026-05-19 | 10",
    "NT-ML1": "ML1 | NT | pending | mining | ALPHA PTY LTD; BETA (NT) NL | – | – | –",
  })
  expect(summary.files[0]?.warnings).toEqual({ "area_km2 has no unit in this file": 1 })
})

test("The NT's layout without grant and expiry dates loads, and they stay unknown", async () => {
  await bench.load("nt", file("NAME,TENEMENTTY,STATUS,OWNER", "EL1,EL,Renew Retained,ALPHA"))
  expect(await bench.tenements()).toEqual({
    "NT-EL1": "EL1 | NT | granted | exploration | ALPHA | – | – | –",
  })
})
