/** Values that are stored, or that programs of others keep, are made as in every earlier version. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { createToken, hashSecret } from "../../src/accounts/access/secret.ts"
import { locks } from "../../src/data/db/advisory-locks.ts"
import { readGeometry } from "../../src/data/places/read-geometry.ts"
import { wgs84 } from "../../src/data/places/reference-system.ts"
import { normaliseName } from "../../src/data/resources/company-name.ts"
import { reportGroup } from "../../src/data/resources/report-groups.ts"
import { rules } from "../../src/data/resources/rules.ts"
import { rowShape } from "../../src/ingest/loading/staged-shape.ts"
import { asxAnnouncements } from "../../src/ingest/sources/asx-announcements.ts"
import { tenementIdOf } from "../../src/ingest/sources/register-values.ts"
import { subsidiaryId } from "../../src/ingest/sources/subsidiary-id.ts"
import { fold } from "../../src/system/text/fold.ts"
import { referenceKey } from "../../src/system/text/reference-key.ts"

test("Ids of records never change", () => {
  expect([
    tenementIdOf("WA", "E 47/1234-I"),
    tenementIdOf("NSW", "CML 6 1992"),
    tenementIdOf("NSW", "PL(MP)L 12"),
    subsidiaryId("QZA", "Söhne & Co. Proprietary Limited"),
    subsidiaryId("qza", "QZA Holdings (No Liability) P/L"),
    subsidiaryId("QZA", "矿业 Incorporated"),
    subsidiaryId("QZA", `${"Long ".repeat(20)}Corporation`),
  ]).toEqual([
    "WA-E47-1234-I",
    "NSW-CML6-1992",
    "NSW-PL-MP-L12",
    "QZA-SOHNE-AND-CO-PTY-LTD",
    "QZA-QZA-HOLDINGS-NL-PTY-LTD",
    "QZA-INC-52387f7ed1911cff",
    "QZA-LONG-LONG-LONG-LONG-LONG-LONG-LONG-LONG-LONG-LONG-LONG-LONG-0c66523be634214c",
  ])
  const row = { ticker: "QZA", documentKey: "2924-03093561-6A1326876", announcementTypes: "[]" }
  const mapped = asxAnnouncements.map(row, {
    format: "csv",
    allSectors: false,
    storedName: () => undefined,
  })
  expect(mapped).toMatchObject({ record: { hash: "f8f195e1bc7abf5890e73452f01b0f2f" } })
})

test("Folded text, which determines orders, never changes", () => {
  expect(["İSTANBUL", "ΟΔΟΣ", "Cafe\u0301", "ẞ", "ﬁ", "\u212a", "A-B c"].map(fold)).toEqual([
    "i̇stanbul",
    "οδοσ",
    "café",
    "ß",
    "ﬁ",
    "k",
    "a-b c",
  ])
})

test("A token and its digest never change", () => {
  const token = createToken(new Uint8Array(32).fill(7))
  expect([token, hashSecret(token)]).toEqual([
    "mds_1fJjkkpe9PiTw9KSulA8Ghct30vZz4HpdQ5c5b9cPF1465N0g",
    "75f8c6570c20dd0f91f3493493d86a6b3f5a27823b78a315995b3d79cc6a0f88",
  ])
})

test("Versions that run beside each other take the same locks", () => {
  expect(locks).toMatchObject({ migrating: 7_140_233_001, publishing: 7_140_233_002 })
})

test("A shape keeps its digest, the point inside it and its bounds", () => {
  const coordinates = [
    [
      [
        [121.5, -30.5],
        [121.5, -30],
        [121, -30],
        [121, -30.5],
        [121.5, -30.5],
      ],
      [
        [121.2, -30.2],
        [121.3, -30.2],
        [121.3, -30.3],
        [121.2, -30.2],
      ],
    ],
  ]
  const read = readGeometry({ type: "MultiPolygon", coordinates }, wgs84.toDegrees)
  expect(rowShape(read).staged).toEqual({
    geometry: "8Rgp4enIZzdZ6syUWE0LKw",
    latitude: -30.25,
    longitude: 121.125,
    bounds: "(121000000,-30500000),(121500000,-30000000)",
    coordinates:
      "[[[[121,-30.5],[121.5,-30.5],[121.5,-30],[121,-30],[121,-30.5]],[[121.2,-30.2],[121.3,-30.2],[121.3,-30.3],[121.2,-30.2]]]]",
  })
})

/** A failure here is no fault if the rule's number is increased with it: then write the new values. */
test("The values of rules change only with their numbers", () => {
  expect([
    rules,
    normaliseName("Söhne & Co. (P/L) No Liability"),
    referenceKey("E 47/01234-I"),
    reportGroup("Progress Report", "Maiden Resource at Example Hill"),
  ]).toEqual([
    { names: 1, references: 1, report_groups: 2, links: 1 },
    "SOHNE AND CO PTY LTD NL",
    "E 00000047 00001234",
    "resource",
  ])
})

/**
 * Examples do not show every change of a rule. After any change of these files that changes a value, increase the
 * number of the rule in `data/resources/rules.ts`; then write the new digest.
 */
test("The code of a rule changes only with a look at its number", async () => {
  const digestOf = async (...files: string[]) => {
    const texts = files.map((file) => Bun.file(join(import.meta.dir, "../../src", file)).text())
    return Bun.CryptoHasher.hash("sha256", (await Promise.all(texts)).join(""), "hex").slice(0, 16)
  }
  expect({
    names: await digestOf("data/resources/company-name.ts", "data/resources/holder-names.ts"),
    references: await digestOf("system/text/reference-key.ts"),
    report_groups: await digestOf("data/resources/report-groups.ts"),
  }).toEqual({
    names: "994627f1d65a49d5",
    references: "a692a3d2d2c35725",
    report_groups: "8e888a22eb9862bf",
  })
})
