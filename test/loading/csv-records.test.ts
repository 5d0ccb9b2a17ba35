/** Records that are not CSV are rejected by themselves, each once, whatever stands beside them. */
import { expect, test } from "bun:test"
import { csvRecords } from "../../src/loading/reading/csv-records.ts"

/** The line of each record, and its error or its cells. */
async function recordsOf(text: string, chunkLength = text.length): Promise<unknown[][]> {
  async function* chunks() {
    for (let at = 0; at < text.length; at += chunkLength) yield text.slice(at, at + chunkLength)
  }
  const rejectFile = (reason: string): never => {
    throw new Error(reason)
  }
  const records: unknown[][] = []
  for await (const { line, error, cells } of csvRecords(chunks(), ",", rejectFile)) {
    records.push([line, error ?? cells])
  }
  return records
}

const afterQuote = "text follows a closing quote; double the quotes inside a quoted value"

test.each([1, 3, 1_000])(
  "equal malformed records are all reported, in chunks of %i",
  async (length) => {
    const text = 'a,b\nx,"1"2"\nx,"1"2"\nx,"1"2"3"\n\ny,z\n\n\nx,"1"2"\n'
    expect(await recordsOf(text, length)).toEqual([
      [1, ["a", "b"]],
      [2, afterQuote],
      [3, afterQuote],
      [4, afterQuote],
      [6, ["y", "z"]],
      [9, afterQuote],
    ])
  },
)

test("a record with several errors is reported once, where it begins", async () => {
  const text = 'a,b\nx,"1\n2"3\n4"5\n6"\ny,z\n'
  expect(await recordsOf(text)).toEqual([
    [1, ["a", "b"]],
    [2, afterQuote],
    [6, ["y", "z"]],
  ])
})
