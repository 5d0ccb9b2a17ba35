/**
 * The records of a file are the same in every encoding that its bytes tell apart, and a file whose
 * bytes do not is rejected.
 */
import { expect, test } from "bun:test"
import { Readable } from "node:stream"
import { newFileFigures } from "../../../src/ingest/loading/figures.ts"
import { decodedText } from "../../../src/ingest/loading/reading/text.ts"
import { vic } from "../../../src/ingest/sources/vic.ts"
import { seededIntegers } from "../../support/seeded-integers.ts"
import { filesOfFile, outcomeOf, readFile, rowsOf } from "./readings.ts"

const file = filesOfFile()

const header = "tno,typedesc,statussdsc,own_name,grant1_dt,expl_dt,hectares"
const row = (holder: string) => `${header}\r\nEL1,Mining Licence,Current,${holder},,,100\r\n`
const bytesOf = (text: string, encoding: "latin1" | "utf16le") => Buffer.from(text, encoding)
const swapped = (bytes: Buffer) => Buffer.from(bytes).swap16()

const utf16 = "it is UTF-16 text"
const windows = "it is not UTF-8 text and was read as Windows-1252"

test.each([
  ["UTF-8 with a byte order mark", Buffer.from(`\ufeff${row("Café")}`), []],
  ["UTF-16LE with a byte order mark", bytesOf(`\ufeff${row("Café")}`, "utf16le"), [utf16]],
  ["UTF-16BE with a byte order mark", swapped(bytesOf(`\ufeff${row("Café")}`, "utf16le")), [utf16]],
  ["Windows-1252", bytesOf(row("Café"), "latin1"), [windows]],
])(
  "%s gives the same record as UTF-8, and the summary notes its encoding",
  async (_, bytes, notes) => {
    const read = await readFile(vic, file("given.csv", bytes))
    expect(read).toMatchObject({ rows: await rowsOf(vic, file("plain.csv", row("Café"))), notes })
  },
)

test("Windows-1252 characters beyond Latin-1 are read", async () => {
  const bytes = Buffer.concat([
    Buffer.from(row("").split(",,,100")[0] ?? ""),
    Buffer.from([0x80, 0x20, 0x93, 0xe9, 0x94]),
    Buffer.from(",,,100\r\n"),
  ])
  const [read] = await rowsOf(vic, file("given.csv", bytes))
  expect(read?.raw).toMatchObject({ holder: "€ “é”" })
})

const mixed = Buffer.concat([Buffer.from(row("Café")), bytesOf("EL2,,,Caf\u00e9,,,1\n", "latin1")])

test.each([
  ["UTF-8 before other bytes", mixed, /mixes UTF-8 with other bytes/],
  [
    "UTF-8 after other bytes",
    Buffer.concat([bytesOf(row("Caf\u00e9"), "latin1"), Buffer.from("EL2,,,Zoë,,,1\n")]),
    /mixes UTF-8 with other bytes/,
  ],
  [
    "bytes that Windows-1252 does not have",
    bytesOf(row("Caf\u0081\u00e9"), "latin1"),
    /neither UTF-8 nor Windows-1252/,
  ],
  ["half a character", Buffer.from(row("Zoë")).subarray(0, -9), /ends inside a character/],
  [
    "half a UTF-16 character",
    bytesOf(`\ufeff${row("A")}`, "utf16le").subarray(0, -1),
    /ends inside a char/,
  ],
  [
    "an unpaired surrogate",
    bytesOf(`\ufeff${row("A\ud83dB")}`, "utf16le"),
    /it is not valid UTF-16 text/,
  ],
  [
    "UTF-16 without its mark",
    bytesOf(row("A"), "utf16le"),
    /UTF-16 without its mark; save it as UTF-8/,
  ],
  [
    "carriage returns alone",
    Buffer.from(row("A").replaceAll("\n", "")),
    /its lines end as on old Macintosh computers; save it as CSV UTF-8/,
  ],
  ["UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]), /it is UTF-32 text; save it as UTF-8/],
])("A file with %s is rejected", async (_, bytes, message) => {
  expect(await outcomeOf(vic, file("given.csv", bytes))).toMatch(message)
})

async function textOf(bytes: Buffer, cuts: readonly number[]): Promise<string> {
  const chunks = [0, ...cuts].map((from, nth) => bytes.subarray(from, cuts[nth] ?? bytes.length))
  const refuse = (what: string): never => {
    throw new Error(what)
  }
  const start = bytes.subarray(0, 4096)
  const stream = Readable.from(chunks) as AsyncIterable<Uint8Array>
  const figures = newFileFigures("given.csv")
  return (await Array.fromAsync(decodedText(stream, start, { refuse, figures }))).join("")
}

test("Text is the same however its bytes arrive", async () => {
  const next = seededIntegers(12)
  const letters = ["a", "b", ",", "\n", "é", "ß", "É"]
  for (let round = 0; round < 300; round++) {
    const length = 8 + next(60)
    const pick = () => letters[next(letters.length)] ?? "a"
    // A letter without an accent is between the two with one: two in a row could be UTF-8.
    const text = `abcd${Array.from({ length }, (_, at) => (at % 2 ? "x" : pick())).join("")}`
    const wide = text.replaceAll("x", () => ["x", "矿", "😀"][next(3)] ?? "x")
    const cutsOf = (bytes: Buffer) =>
      Array.from({ length: next(5) }, () => next(bytes.length)).sort((a, b) => a - b)
    for (const [bytes, expected] of [
      [Buffer.from(wide), wide],
      [bytesOf(`\ufeff${wide}`, "utf16le"), wide],
      [swapped(bytesOf(`\ufeff${wide}`, "utf16le")), wide],
      [bytesOf(`${text}é.`, "latin1"), `${text}é.`],
    ] as const) {
      expect(await textOf(bytes, cutsOf(bytes))).toBe(expected)
    }
  }
})
