/**
 * Reads NDJSON: one JSON object on each line, which may be a GeoJSON feature. The names in the
 * first one are checked like a header.
 *
 * Our own reader because it numbers the lines and refuses a file whose last line is truncated.
 */
import { propertiesOf } from "./features.ts"
import { matchHeader, rowReader } from "./named-rows.ts"
import type { Layout, RejectFile, Row } from "./row.ts"

const maxLineLength = 4_000_000

export async function* readNdjson(
  text: AsyncIterable<string>,
  layout: Layout,
  rejectFile: RejectFile,
  note: (what: string) => void,
): AsyncGenerator<Row> {
  let line = 0
  let isFirst = true
  const rowOf = rowReader(layout)
  for await (const { content, isWhole } of linesOf(text, rejectFile)) {
    line++
    if (content.trim() === "") continue
    const object = propertiesOf(content)
    if (isFirst) {
      if (!object) rejectFile("it looks like JSON, but its first line is not a complete record")
      matchHeader(layout, Object.keys(object ?? {}), rejectFile, note)
      isFirst = false
    }
    if (!object && !isWhole)
      rejectFile(`it is truncated: line ${line}, the last, is not a complete record`)
    yield object ? rowOf(object, line) : { line, raw: content, error: "is not a JSON object" }
  }
}

async function* linesOf(text: AsyncIterable<string>, rejectFile: RejectFile) {
  let rest = ""
  for await (const chunk of text) {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    if (rest.length > maxLineLength) rejectFile(`a line is longer than ${maxLineLength} characters`)
    for (const content of lines) yield { content, isWhole: true }
  }
  if (rest !== "") yield { content: rest, isWhole: false }
}
