/** NDJSON: one JSON object on each line. The first one's names are judged as a header is. */
import { matchColumns } from "../../sources/columns.ts"
import type { RawRecord } from "../../sources/source.ts"
import type { Layout, Refuse, Row } from "./rows.ts"

const batchRows = 1000
const longestLine = 4_000_000

export async function* readNdjson(
  text: AsyncIterable<string>,
  { columns }: Layout,
  refuse: Refuse,
): AsyncGenerator<Row[]> {
  let line = 0
  let batch: Row[] = []
  let isFirst = true
  const rowOf = rowReader(columns)
  for await (const { content, isWhole } of linesOf(text, refuse)) {
    line++
    if (content.trim() === "") continue
    const object = parsed(content)
    if (isFirst) {
      if (!object) refuse("it looks like JSON, but its first line is not one whole record")
      const match = matchColumns(columns, Object.keys(object ?? {}))
      if ("fault" in match) refuse(match.fault)
      isFirst = false
    }
    if (!object && !isWhole)
      refuse(`it is cut short: line ${line}, its last, is not a whole record`)
    batch.push(object ? rowOf(object, line) : { line, raw: content, fault: "is not a JSON object" })
    if (batch.length < batchRows) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

async function* linesOf(text: AsyncIterable<string>, refuse: Refuse) {
  let rest = ""
  for await (const chunk of text) {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    if (rest.length > longestLine) refuse("one of its lines does not end")
    for (const content of lines) yield { content, isWhole: true }
  }
  if (rest !== "") yield { content: rest, isWhole: false }
}

function parsed(content: string): RawRecord | undefined {
  try {
    const value: unknown = JSON.parse(content)
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
    return isObject ? (value as RawRecord) : undefined
  } catch {
    return undefined
  }
}

/** Rows of one file mostly have the same names, which are then looked up once. */
function rowReader({ required, optional, others }: Layout["columns"]) {
  const columns = { required: [], optional: [...required, ...optional], others }
  let lastKeys = ""
  let match = matchColumns(columns, [])
  return (object: RawRecord, line: number): Row => {
    const written = Object.keys(object)
    const keys = JSON.stringify(written)
    if (keys !== lastKeys) match = matchColumns(columns, written)
    lastKeys = keys
    if ("fault" in match) return { line, raw: object, fault: match.fault, partial: object }
    const raw: Record<string, unknown> = {}
    for (const [index, key] of written.entries()) {
      const name = match.names[index]
      if (name) raw[name] = object[key]
    }
    return { line, raw }
  }
}
