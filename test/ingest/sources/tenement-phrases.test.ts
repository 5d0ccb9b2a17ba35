/** A register's phrase is known by the words that decide; without one, or where two disagree, it is not. */
import { describe, expect, test } from "bun:test"
import { statusOf } from "../../../src/ingest/sources/tenement-statuses.ts"
import { typeOf } from "../../../src/ingest/sources/tenement-types.ts"

type TenementStatus = NonNullable<ReturnType<typeof statusOf>>
type TenementType = NonNullable<ReturnType<typeof typeOf>>

const statuses: Record<TenementStatus, string[]> = {
  granted: [
    "granted",
    "Grant",
    "Issued",
    "Active",
    "approved",
    "Current",
    "Current - Renewal Lodged",
    "current - renewal pending",
    "In force",
    "LIVE",
    "registered",
    "renewal",
    "renewal pending",
    "Pending Renewal",
    "Application for renewal",
    "renewed",
    "Renew Retained",
    "Reduction Retained",
    "Pending Surrender",
    "Pending Partial Surrender",
    "Granted (Subject to Appeal)",
    "Granted (appeal lodged)",
  ],
  pending: [
    "Application",
    "application accepted",
    "application lodged",
    "application pending",
    "Revised Application",
    "Competing Application",
    "applied",
    "lodged",
    "PENDING",
    "under application",
    "under assessment",
  ],
  suspended: ["Suspended", "Current (suspended)"],
  expired: ["Expired", "Expired - s16A", "Ceased (expired)"],
  surrendered: [
    "Surrendered",
    "relinquished",
    "Reduction Relinquished",
    "Non-Current - Surrendered",
  ],
  cancelled: ["Cancelled", "canceled", "revoked"],
  forfeited: ["Forfeited"],
  refused: ["Refused", "rejected", "application refused"],
  withdrawn: ["Withdrawn", "application withdrawn"],
  lapsed: ["Lapsed", "application lapsed"],
  converted: ["amalgamated", "Converted"],
  ceased: ["Ceased", "Ceased - s26(11)", "terminated", "Non-Current", "Non Current", "DEAD"],
}

const types: Record<TenementType, string[]> = {
  exploration: [
    "exploration",
    "Exploration Licence",
    "Exploration Licence (EL)",
    "exploration license",
    "exploration permit",
    "special exploration licence",
    "EXPLORATION LICENCE S.A.",
    "EXPLORATION LICENCE OFFSHORE",
    "COMMONWEALTH EXPLORATION LICENCE",
    "exploration permit minerals",
    "Exploration Permit Coal",
    "Exploration Permit for Coal",
    "Exploration Permit for Minerals",
    "Exploration Permit Minerals other than Coal",
    "Exploration Permit for Minerals other than Coal",
    "Exploration Permit for Minerals, other than for Coal",
    "Mineral and/or Opal Exploration Licence",
    "exploration licence application",
    "application for exploration licence",
  ],
  prospecting: [
    "prospecting",
    "PROSPECTING LICENCE",
    "SPECIAL PROSPECTING LICENCE",
    "PROSPECTING AREA",
    "Prospecting Permit",
  ],
  retention: [
    "retention",
    "RETENTION LICENCE",
    "RETENTION LICENCE OFFSHORE",
    "retention lease",
    "retentiona lease",
    "exploration licence in retention",
    "Exploration Licence in Retention (ELR)",
    "mineral exploration licence in retention",
  ],
  assessment: ["assessment lease", "assessment lease application"],
  "mineral development": ["Mineral Development Licence"],
  mining: [
    "mining",
    "MINING LEASE",
    "MINING LEASE S.A.",
    "mining licence",
    "MINING LICENCE OFFSHORE",
    "mineral lease",
    "MINERAL LEASE S.A.",
    "Mineral Lease (ML)",
    "Mineral Lease (Northern) (MLN)",
    "Mineral Lease (Central) (MLC)",
    "Mineral leases",
    "coal lease",
    "COAL MINING LEASE",
    "consolidated coal lease",
    "consolidated mining lease",
    "gold lease",
    "GOLD MINING LEASE",
    "CHRISTMAS ISLAND MINING LEASE",
    "private lands lease",
    "special lease",
    "special mining lease",
  ],
  "mineral claim": [
    "mineral claim",
    "mineral claim (production)",
    "Mining Claim",
    "DREDGING CLAIM",
  ],
  opal: ["opal prospecting licence", "Opal Mining Lease"],
  extractive: [
    "extractive industry work authority",
    "extractive mineral exploration licence",
    "extractive mineral lease",
    "extractive mineral permit",
    "work authority",
    "QUARRYING AREA",
  ],
  fossicking: ["fossicking area", "fossicking district"],
  "general purpose": [
    "general purpose lease",
    "GENERAL PURPOSE LEASE S.A.",
    "CHRISTMAS ISLAND GENERAL PURPOSE LEASE",
    "infrastructure mining licence",
    "mining infrastructure licence",
    "mining purposes lease",
    "TAILINGS LEASE",
    "LICENCE TO TREAT TAILINGS",
    "MACHINERY AREA",
    "RESIDENCE AREA",
    "GARDEN AREA",
  ],
  miscellaneous: [
    "access authority",
    "MISCELLANEOUS LICENCE",
    "MISCELLANEOUS LICENCE S.A.",
    "MISCELLANEOUS LICENSE S.A.",
    "miscellaneous purposes licence",
    "WATER RIGHT",
    "dam site lease",
  ],
  reserve: ["mineral reserve", "reserved area", "TEMPORARY RESERVE", "Reserve Land (RL)"],
}

test("The guide defines each status and type, in lower case as filters expect", async () => {
  const guide = await Bun.file(new URL("../../../src/web/guide/meaning.md", import.meta.url)).text()
  const [, tables = ""] = /## Statuses and types\n([^#]*)/.exec(guide) ?? []
  const defined = [...tables.matchAll(/^\| ([a-z ]+) \| [A-Z].*[^.] \|$/gm)].map(([, word]) => word)
  expect(defined).toEqual([...Object.keys(statuses), ...Object.keys(types)])
})

describe.each(Object.entries(statuses))("Phrases of the status %s", (status, phrases) => {
  test.each(phrases)("The phrase %j has the status", (phrase) => {
    expect(statusOf(phrase)).toBe(status as TenementStatus)
    expect(statusOf(` ${phrase.toUpperCase().replace(" ", "   ")}`)).toBe(status as TenementStatus)
  })
})

test.each([
  "Limbo",
  "",
  "constructor",
  "Not granted",
  "Never granted",
  "Partially surrendered",
  "Granted - Expired",
  "Application granted",
  "Renewal refused",
  "Expired - renewal lodged",
  "Surrender pending",
  "Application (appeal lodged)",
  "Not granted (appeal lodged)",
  "Application for transfer",
  "Current - transfer lodged",
  "Reduction pending",
  "For Grant",
  "Recommended for grant",
  "Offer of grant",
  "Pre-grant",
  "To be granted",
  "Not yet granted",
  "Awaiting grant",
  "Cert Of Public Notice Issued",
  "COA Issued",
  "Tribunal Recommendation",
  "Inactive",
  "Term elapsed",
])("The status %j is unknown", (phrase) => {
  expect(statusOf(phrase)).toBeUndefined()
})

describe.each(Object.entries(types))("Phrases of the type %s", (type, phrases) => {
  test.each(phrases)("The phrase %j has the type in every state", (phrase) => {
    const read = (["WA", "NT", "SA", "QLD", "NSW", "VIC", "TAS"] as const).map((state) =>
      typeOf(state, phrase.toUpperCase(), "X 1"),
    )
    expect(new Set(read)).toEqual(new Set([type as TenementType]))
  })
})

test.each([
  "Moon lease",
  "",
  "constructor",
  "lease",
  "Licence",
  "Mining and exploration licence",
  "Non-mining lease",
  "Licence other than exploration",
  "Mineral claim converted to lease",
  "Specific purpose mining lease",
  "Petroleum Exploration Licence",
  "exploitation licence",
  "minin lease",
])("The type %j is unknown", (phrase) => {
  expect(typeOf("VIC", phrase, "X 1")).toBeUndefined()
})

test("An overlong cell is unknown at once", () => {
  expect(typeOf("VIC", `Mining lease ${"of nothing ".repeat(100_000)}`, "X 1")).toBeUndefined()
})

test("Letters mean a type only in the states that use them", () => {
  for (const [state, written, type] of [
    ["NSW", "AUTH", "exploration"],
    ["NSW", "cml", "mining"],
    ["NSW", "MPL", "mining"],
    ["NSW", "PL(MP)L", "mining"],
    ["NSW", "MEL", "exploration"],
    ["NSW", "DSL", "miscellaneous"],
    ["NSW", "m(c)l", "mining"],
    ["NSW", "M(MO)L", "mining"],
    ["NSW", "S(C&PL)L", "mining"],
    ["NSW", "S(PL)L", "mining"],
    ["NSW", "DL", "mining"],
    ["NSW", "EPL", "exploration"],
    ["NSW", "E(MO)L", "exploration"],
    ["NT", "AA", "miscellaneous"],
    ["NT", "EMLC", "extractive"],
    ["NT", "EMLS", "extractive"],
    ["NT", "EMPC", "extractive"],
    ["NT", "EMPS", "extractive"],
    ["TAS", "P/M", "mining"],
    ["QLD", "EPM", "exploration"],
    ["QLD", "EPC", "exploration"],
    ["QLD", "MDL", "mineral development"],
    ["QLD", "ML", "mining"],
    ["QLD", "MC", "mineral claim"],
    ["NT", "ELR", "retention"],
    ["NT", "emp", "extractive"],
    ["SA", "RLA", "retention"],
    ["SA", "MPL", "miscellaneous"],
    ["SA", "SML", "mining"],
    ["SA", "PMA", "mining"],
    ["SA", "MCA", "mineral claim"],
    ["TAS", "EL", "exploration"],
    ["TAS", "RL", "retention"],
    ["TAS", "M", "mining"],
    ["TAS", "SEL", "exploration"],
    ["NT", "HLDN", "miscellaneous"],
    ["NT", "HLDC", "miscellaneous"],
    ["NT", "HLDS", "miscellaneous"],
    ["NT", "EMLN", "extractive"],
    ["NT", "EMPN", "extractive"],
    ["NT", "MC", "mineral claim"],
  ] as const) {
    expect([state, written, typeOf(state, written, "X 1")]).toEqual([state, written, type])
  }
  expect(typeOf("NSW", "RL", "RL 1")).toBeUndefined()
  expect(typeOf("VIC", "EL", "EL 1")).toBeUndefined()
  expect(typeOf("NSW", "toString", "EL 1")).toBeUndefined()
})

test.each([
  ["LICENCE", "EL19/2001", "exploration"],
  ["Licence", "SEL2/2001", "exploration"],
  ["LICENCE", "RL1/2009", "retention"],
  ["LEASE", "4M/2022", "mining"],
  ["LEASE", "4m/2022", "mining"],
  ["LEASE", "1872P/M", "mining"],
  ["LICENCE", "4M/2022", undefined],
  ["LEASE", "EL19/2001", undefined],
  ["LICENCE", "19/2001", undefined],
  ["LEASE", "123W/45", undefined],
  ["MINING LEASE", "EL19/2001", "mining"],
] as const)(
  "Tasmania's %s %s is %p, by the letters of its reference",
  (phrase, reference, type) => {
    expect(typeOf("TAS", phrase, reference)).toBe(type)
    expect(typeOf("VIC", phrase, reference)).toBe(phrase === "MINING LEASE" ? "mining" : undefined)
  },
)
