/**
 * The registers of WA, Queensland and South Australia are read from the columns of their real
 * files, and nothing is guessed.
 */
import { expect, test } from "bun:test"
import { formatSummary } from "../../../src/ingest/loading/summary.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const features = (...properties: object[]) =>
  JSON.stringify({
    type: "FeatureCollection",
    features: properties.map((of) => ({
      type: "Feature",
      geometry: null,
      properties: of,
    })),
  })

/** The warning of a file whose rows state no shape. */
const unstated = (rows: number) => ({ "geometry: none is stated; a stored shape stays": rows })

const waHeader = "TENID,TYPE,TENSTATUS,HOLDERCNT,HOLDER1,HOLDER2,FMT_TENID,LEGAL_AREA,SPECIAL_IND"

test("The WA register's CSV loads with padded ids, single blanks, a quoted holder and no dates", async () => {
  const summary = await bench.load(
    "wa",
    [
      waHeader,
      'E  4709001,EXPLORATION LICENCE,LIVE,2,"EMU, ANNA",QUARRY ALPHA PTY LTD,E 47/9001,12.0, ',
      "E  4709002,EXPLORATION LICENCE,PENDING,1,QUARRY ALPHA PTY LTD, ,E 47/9002-I,10.0,I",
      "AM 7000904,MINING LEASE S.A.,LIVE,1,QUARRY BETA NL, ,M 904SA,7.5, ",
      "",
    ].join("\r\n"),
  )
  expect(await bench.tenements()).toEqual({
    "WA-E47-9001":
      "E47/9001 | WA | granted | exploration | EMU, ANNA; QUARRY ALPHA PTY LTD | – | – | –",
    "WA-E47-9002": "E47/9002 | WA | pending | exploration | QUARRY ALPHA PTY LTD | – | – | –",
    "WA-M904SA": "M904SA | WA | granted | mining | QUARRY BETA NL | – | – | –",
  })
  expect(summary.files[0]?.warnings).toEqual({ "area_km2 has no unit in this file": 3 })
})

const waFeature = {
  tenid: "M  7709001",
  type: "MINING LEASE",
  tenstatus: "LIVE",
  holder1: "QUARRY ALPHA PTY LTD",
  holder2: null,
  fmt_tenid: "M 77/9001",
  legal_area: 120.5,
  unit_of_me: "HA.",
  grantdate: "2001/07/01 08:00:00.000",
  startdate: "1999/01/01 08:00:00.000",
  enddate: "2022/06/30 08:00:00.000",
}

test("A tenement that gains an endorsement keeps its id, and one without a number is rejected", async () => {
  await bench.load("wa", features(waFeature))
  const ids = Object.keys(await bench.tenements())
  const summary = await bench.load(
    "wa",
    features(
      ...["M 77/9001-S", " ", "???", "ZZYZX, Jane", "FMT_TENID"].map((fmt_tenid) => ({
        ...waFeature,
        fmt_tenid,
      })),
    ),
  )
  expect(summary.files[0]).toMatchObject({ read: 5, accepted: 1, rejected: 4, unreadable: 4 })
  expect([ids, summary.release]).toEqual([["WA-M77-9001"], null])
  expect(Object.keys(await bench.tenements())).toEqual(ids)
  const reason = "has no tenement reference with a number, from which its id is made"
  expect(bench.rejects()).toMatchObject([2, 3, 4, 5].map((feature) => ({ feature, reason })))
})

const qldShort = {
  PERMITID: 900001,
  DISPLAYNAM: "EPM 90001",
  PERMITNAME: null,
  PERMITTYPE: 4,
  PERMITTY_1: "Exploration Permit Minerals other than Coal",
  PERMITSTAT: 3,
  PERMITST_1: "Granted",
  PERMITST_2: "None",
  LODGEDATE: "2009-01-05",
  APPROVEDAT: "2010-03-04",
  EXPIRYDATE: "2015-03-03",
  AUTHORIS_1: "QUARRY ALPHA PTY LTD",
  SHAPEAREA: 22_229_573.3991,
  SHAPEAREAH: 0,
  DATE_RANGE: "2009-12-01 to 2011-01-01",
}
const qldRow =
  "EPM90001 | QLD | granted | exploration | QUARRY ALPHA PTY LTD | 2010-03-04 | 2015-03-03 | 22.2295733991"

test("Queensland's short and long column names produce the same permit", async () => {
  await bench.load("qld", features(qldShort))
  expect(await bench.tenements()).toEqual({ "QLD-EPM90001": qldRow })
  const long = {
    displayname: "EPM 90001",
    permittype: qldShort.PERMITTY_1,
    permittypeabbreviation: "EPM",
    permitstatus: "Granted",
    permitstate: null,
    approvedate: Date.UTC(2010, 2, 4),
    expirydate: Date.UTC(2015, 2, 2, 14),
    authorisedholdername: "QUARRY ALPHA PTY LTD",
    shapearea: qldShort.SHAPEAREA,
    shapeareahectares: 0,
  }
  expect((await bench.load("qld", features(long))).release).toBeNull()
})

test("The column names of Queensland's national service produce the same permit, without an area", async () => {
  const row = {
    tenname: "EPM 90001",
    tentype: "exploration permit minerals",
    tenstatus: "granted",
    tenowner: "QUARRY ALPHA PTY LTD (100%)",
    grantdate: "2010-03-04T00:00:00Z",
    expiredate: "2015-03-03T00:00:00Z",
  }
  await bench.load("qld", features(row))
  expect(await bench.tenements()).toEqual({ "QLD-EPM90001": qldRow.replace("22.2295733991", "–") })
})

test("Names and commodities are kept as registers write them, and a file without them leaves them", async () => {
  const named = async () =>
    bench.sql`select id, given_name, name_key, commodities from tenements order by id`
  await bench.load("qld", features({ ...qldShort, PERMITNAME: "O\u2019Brien  No. 2 " }))
  const { PERMITNAME, ...unnamed } = qldShort
  await bench.load("qld", features({ ...unnamed, EXPIRYDATE: "2016-03-03" }))
  const lease = {
    TENEMENT_TYPE: "ML",
    TENEMENT_LABEL: "ML 9003",
    TENEMENT_HOLDERS: "Quarry Alpha Limited",
    OPERATION_NAME: "Example Point Quarry",
    COMMODITIES: "Limestone; Shale",
  }
  const sought = { TENEMENT_LABEL: "EL 9004", TENEMENT_TYPE: "EL", LICENCEES: "Beta Pty Ltd" }
  await bench.load("sa", [
    bench.file("leases.json", features(lease)),
    bench.file("licences.json", features({ ...sought, COMMODITIES_SOUGHT: "Copper" })),
  ])
  await bench.load(
    "vic",
    features({
      tno: "MIN9005",
      typedesc: "Mining Licence",
      statussdsc: "Current",
      own_name: "Gamma Ltd",
      commodity: "Gold",
    }),
  )
  const of = (
    id: string,
    given_name: string | null,
    name_key: string | null,
    commodities: string | null,
  ) => ({ id, given_name, name_key, commodities })
  expect([...(await named())]).toEqual([
    of("QLD-EPM90001", "O\u2019Brien No. 2", "obrienno2", null),
    of("SA-EL9004", null, null, "Copper"),
    of("SA-ML9003", "Example Point Quarry", "examplepointquarry", "Limestone; Shale"),
    of("VIC-MIN9005", null, null, "Gold"),
  ])
})

test("A Queensland lease has its stated hectares, an exploration permit only its drawn area", async () => {
  const { SHAPEAREA, ...permit } = { ...qldShort, SHAPEAREAH: 120 }
  const lease = { ...permit, PERMITTY_1: "Mining Lease" }
  await bench.load(
    "qld",
    features(
      { ...permit, SHAPEAREA },
      { ...permit, DISPLAYNAM: "EPM 90002" },
      { ...lease, SHAPEAREA, DISPLAYNAM: "ML 90001" },
      { ...lease, SHAPEAREA, SHAPEAREAH: 0, DISPLAYNAM: "ML 90002" },
      { ...lease, DISPLAYNAM: "ML 90003" },
      { ...lease, SHAPEAREAH: 0, DISPLAYNAM: "ML 90004" },
    ),
  )
  const areas = await bench.sql`select area_km2 from tenements order by id`
  expect(areas.map(({ area_km2 }) => area_km2)).toEqual([
    22.2295733991,
    null,
    1.2,
    22.2295733991,
    1.2,
    null,
  ])
})

test("A load leaves out Queensland's moratorium areas, whose status is Granted", async () => {
  const ended = { ...qldShort, DISPLAYNAM: "EPM 90009", DATE_RANGE: "2015-02-01 to 2015-04-01" }
  const bySubstatus = { ...qldShort, DISPLAYNAM: "EPM 90010", PERMITST_2: "Moratorium" }
  const summary = await bench.load("qld", features(qldShort, ended, bySubstatus))
  expect(summary.files[0]).toMatchObject({
    accepted: 1,
    left_out: { "moratorium areas, which are not permits": 2 },
  })
})

test("South Australia's layers of released areas are left out, and the other files load", async () => {
  const licence = { TENEMENT_TYPE: "EL", TENEMENT_LABEL: "EL 9001", LICENCEES: "Alpha Ltd" }
  const paths = [
    { ERA_NUMBER: "ERA 9001", FILE_REFERENCE: "2024/90003", AREA_STATUS: "Released" },
    { AREA_TYPE: "Relinquished", FILE_REFERENCE: "2024/90004", APPLICANTS: null },
    licence,
  ].map((row, index) => bench.file(`area-${index}.json`, features(row)))
  const summary = await bench.load("sa", paths)
  expect(Object.keys(await bench.tenements())).toEqual(["SA-EL9001"])
  expect(formatSummary(summary)).toContain(
    "  area-0.json: 1 rows read = 0 accepted + 0 rejected + 1 left out (exploration release areas, which are not tenements)\n",
  )
})

test("South Australia's licences, leases and applications are read by their own columns", async () => {
  const paths = [
    features({
      TENEMENT_TYPE: "EL",
      TENEMENT_LABEL: "EL 9001",
      TENEMENT_STATUS: "Active",
      LICENCEES: "Quarry Alpha Limited, Beta (SA) Pty Ltd",
      TENEMENT_START_DATE: "2022-04-01T01:30:00Z",
      TENEMENT_EXPIRY_DATE: "2028-07-01T02:30:00Z",
      AREA_LEGAL: 264,
      AREA_UNIT: "Square Kilometres",
    }),
    features({
      TENEMENT_TYPE: "EML",
      TENEMENT_LABEL: "EML 9002",
      TENEMENT_STATUS: "Active",
      TENEMENT_HOLDERS: "Emu, Anna; Quarry Alpha Limited; Quarry Alpha Limited",
      LEGAL_AREA: 4.0600000000000005,
      AREA_UNIT: "Hectares",
      REGISTRATION_GRANT_DATE: "1899-06-30T02:30:00Z",
      EXPIRY_DATE: null,
    }),
    features(
      {
        APPLICATION_TYPE: "ELA",
        FILE_REFERENCE: "1999/90035",
        APPLICANTS: "Beta Ltd (Tenement Holder)",
        LEGAL_AREA: 0,
        AREA_UNIT: "Square Kilometres",
        OUTCOME: "",
      },
      {
        APPLICATION_TYPE: "ELA",
        FILE_REFERENCE: "ELA-90036",
        APPLICANTS: "Gamma NL",
        LEGAL_AREA: 52,
        AREA_UNIT: "Square Kilometres",
        OUTCOME: "Withdrawn",
      },
    ),
  ].map((content, index) => bench.file(`layer-${index}.json`, content))
  const summary = await bench.load("sa", paths)
  expect(summary.files.map(({ warnings }) => warnings)).toEqual([
    unstated(1),
    unstated(1),
    unstated(2),
  ])
  expect(await bench.tenements()).toEqual({
    "SA-EL9001":
      "EL9001 | SA | granted | exploration | Quarry Alpha Limited; Beta (SA) Pty Ltd | 2022-04-01 | 2028-07-01 | 264",
    "SA-ELA-90036": "ELA-90036 | SA | withdrawn | exploration | Gamma NL | – | – | 52",
    "SA-ELA1999-90035": "ELA1999/90035 | SA | pending | exploration | Beta Ltd | – | – | –",
    "SA-EML9002":
      "EML9002 | SA | granted | extractive | Emu, Anna; Quarry Alpha Limited | 1899-06-30 | – | 0.0406",
  })
})

test("South Australia's special mining lease, private mines, claims and lease applications are read", async () => {
  const lease = { TENEMENT_STATUS: "Active", TENEMENT_HOLDERS: "Alpha Ltd", AREA_UNIT: "Hectares" }
  const application = { APPLICANTS: "Beta Ltd", LEGAL_AREA: 120, AREA_UNIT: "Hectares" }
  const paths = [
    features({ ...lease, TENEMENT_TYPE: "SML", TENEMENT_LABEL: "SML 1", LEGAL_AREA: 17_788 }),
    features({ ...lease, TENEMENT_TYPE: "PMA", TENEMENT_LABEL: "PMA 90", LEGAL_AREA: 8 }),
    features({
      ...application,
      APPLICATION_TYPE: "MCA",
      FILE_REFERENCE: "2024/90001",
      OUTCOME: "",
    }),
    features({ ...application, LEASE_TYPE: "ML", FILE_REFERENCE: "2024/90002" }),
  ].map((content, index) => bench.file(`further-${index}.json`, content))
  const summary = await bench.load("sa", paths)
  expect(summary.files.map(({ warnings }) => warnings)).toEqual([1, 1, 1, 1].map(unstated))
  expect(await bench.tenements()).toEqual({
    "SA-MCA2024-90001": "MCA2024/90001 | SA | pending | mineral claim | Beta Ltd | – | – | 1.2",
    "SA-ML2024-90002": "ML2024/90002 | SA | pending | mining | Beta Ltd | – | – | 1.2",
    "SA-PMA90": "PMA90 | SA | granted | mining | Alpha Ltd | – | – | 0.08",
    "SA-SML1": "SML1 | SA | granted | mining | Alpha Ltd | – | – | 177.88",
  })
})
