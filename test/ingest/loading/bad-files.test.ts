/**
 * A file that is truncated, corrupt or not a table publishes nothing, and the message says what it
 * looks like.
 */
import { expect, test } from "bun:test"
import { gzipSync } from "node:zlib"
import { outcomeOf, sourceOf } from "./readings.ts"
import { workbench } from "./workbench.ts"

const bench = await workbench()
const good = "asx_code,company_name,is_active\nQZA,Alpha,true\n"
await bench.load("companies", good)

const packed = gzipSync(good.repeat(500))

const files: readonly [what: string, content: string | Uint8Array, message: RegExp][] = [
  ["an empty file", "", /it is empty/],
  ["a file of blanks", " \r\n\n", /it is empty/],
  ["a header only", "asx_code,company_name,is_active\n", /it has a header but no rows/],
  [
    "a web page",
    "<!DOCTYPE html>\n<html><body>502, sorry</body></html>",
    /it is a web page \(HTML\), such as a sign-in or error page, not a table \("<!DOCTYPE html> <html>/,
  ],
  [
    "a sign-in page",
    '\r\n<!-- v2 -->\n<html lang="en"><head><title>\n Sign in, please </title></head><body>a,b</body></html>',
    /it is a web page \(HTML\), such as a sign-in or error page, not a table \("Sign in, please"\)/,
  ],
  [
    "an exception of a map service",
    '<?xml version="1.0"?>\n<ows:ExceptionReport version="2.0.0"><ows:Exception/></ows:ExceptionReport>',
    /it is XML, not a table \("<ows:ExceptionReport/,
  ],
  [
    "an error message",
    "Bad GatewayBad Gateway",
    /it looks like an error message, not a table \("Bad/,
  ],
  ["a cut JSON array", '[{"asx_code":"QZA","company_name":"A","is_active":true},{"as', /truncated/],
  ["an empty JSON array", "[ ]", /it has no records/],
  [
    "a JSON array of records that are not JSON",
    '[{asx_code: "QZA"}, {asx_code: "QZB"}]',
    /^Cannot read bad\.csv: its first record is not JSON: "{asx_code: "QZA"}"$/,
  ],
  [
    "a JSON array of values",
    "[1, 2]",
    /^Cannot read bad\.csv: its first record is not an object with properties: "1"$/,
  ],
  ["an error in JSON", '{\n  "error": "try later"\n}', /its first line is not a complete record/],
  [
    "another JSON object",
    '{"error":"try later","status":503}',
    /its columns are not those of this source/,
  ],
  [
    "a cut workbook",
    Buffer.from("PK\u0003\u0004 and so on"),
    /it is a truncated or corrupt zip file/,
  ],
  ["a PDF", "%PDF-1.7\n1 0 obj,\n", /it is a PDF$/],
  ["an RTF document", "{\\rtf1\\ansi a,b}\n", /it is an RTF document/],
  ["a picture", Buffer.from("\u0089PNG\r\n\u001a\n", "latin1"), /it is a picture/],
  ["a GeoPackage", "SQLite format 3\0 and so on", /it is a SQLite database/],
  [
    "an old workbook, or one with a password",
    Buffer.from("\u00d0\u00cf\u0011\u00e0\u00a1\u00b1", "latin1"),
    /it is a workbook or another office document\. Save the sheet as CSV$/,
  ],
  [
    "a script",
    'var companies = {"type":"FeatureCollection","features":[]};',
    /it is a script, not a table .* Save its data as GeoJSON or CSV$/,
  ],
  ["a cut quoted value", `${good}QZB,"Bet`, /it is truncated: it ends inside a quoted value/],
  [
    "a quote in each row that is never closed",
    good + 'QZB,"Bet Ltd,true\n'.repeat(20_000),
    /unterminated quoted value \(line 3\)/,
  ],
  [
    "a cut row",
    `${good}QZB,Be`,
    /it is truncated: line 3, the last, has fewer columns than the header/,
  ],
  [
    "cut NDJSON",
    '{"asx_code":"QZA","company_name":"A","is_active":true}\n{"asx',
    /line 2, the last/,
  ],
  ["cut gzip", packed.subarray(0, packed.length - 12), /its gzip data is truncated or corrupt/],
  [
    "a mistyped column",
    good.replace("company_name", "companyname"),
    /unknown column "companyname" \(did you mean "company_name"\?\); column "company_name" is missing/,
  ],
  ["an unknown column", good.replaceAll(/$/gm, ",x"), /unknown column "x"/],
  ["a column twice", good.replace("company_name", "is_active"), /duplicate column "is_active"/],
  [
    "another resource's columns",
    "hash,title,published_at\nq,T,2026-01-02T03:04:05Z\n",
    /its columns are not those of this source: found "hash", "title", "published_at"; expected/,
  ],
]

test.each(files)(
  "%s is rejected with a message that names what it looks like",
  async (...given) => {
    const [, content, message] = given
    const path = bench.file("bad.csv", content)
    expect(await outcomeOf(sourceOf("companies"), path)).toMatch(message)
  },
)

test("A bad file rejects the whole load, good files included", async () => {
  const paths = [
    bench.file("good.csv", good.replace("QZA", "QZB")),
    bench.file("bad.csv", "Bad Gateway"),
  ]
  expect(await bench.refusal("companies", paths)).toStartWith("Cannot read bad.csv:")
  expect(Array.from(await bench.sql`select asx_code from companies`)).toEqual([{ asx_code: "QZA" }])
})
