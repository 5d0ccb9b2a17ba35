/**
 * Reads CSV with csv-parse, as an iterator of records with the line on which each begins. Values
 * may also be separated by semicolons, or by tabs and then without quotes.
 */
import { pipeline, Readable } from "node:stream"
import { CsvError, Parser } from "csv-parse"
import type { RejectFile, TableRecord } from "./row.ts"
import type { Separator } from "./separators.ts"

/** A longer record means a quote that is never closed. */
const maxRecordLength = 4_000_000
/** So does one with more errors. The parser goes on to the end of it, and makes its text anew for each. */
const maxErrorsOfRecord = 1_000

/** Skips records without any value, which spreadsheets write. */
export async function* csvRecords(
  text: AsyncIterable<string>,
  separator: Separator,
  rejectFile: RejectFile,
): AsyncGenerator<TableRecord> {
  const malformed: TableRecord[] = []
  const lines = withinBounds(text, rejectFile)
  const parser = pipeline(
    Readable.from(lines),
    parserOf(separator, malformed, rejectFile),
    () => {},
  )
  let previousEnd = 0
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      // csv-parse reports the line on which a record ends.
      const isLonger = info.lines > previousEnd + 1
      const line = isLonger ? info.lines - lineBreaksIn(record) : info.lines
      previousEnd = info.lines
      while (malformed[0] && malformed[0].line < line) yield malformed.shift() as TableRecord
      if (record.some((cell) => cell !== "")) yield { line, cells: record }
    }
  } catch (error) {
    if (error instanceof CsvError) rejectFile(describeError(error))
    throw error
  }
  yield* malformed
}

/**
 * Bounds what the parser does not: it keeps a cell for every separator of a line, and all empty lines
 * until the next record.
 */
async function* withinBounds(text: AsyncIterable<string>, rejectFile: RejectFile) {
  let lineLength = 0
  let emptyLines = 0
  for await (const chunk of text) {
    const end = chunk.lastIndexOf("\n")
    lineLength = end < 0 ? lineLength + chunk.length : chunk.length - end - 1
    if (lineLength > maxRecordLength)
      rejectFile(`a line is longer than ${maxRecordLength} characters`)
    const empty = lineBreaksAtEnd(chunk)
    emptyLines = empty < chunk.length ? empty : emptyLines + empty
    if (emptyLines > maxRecordLength) rejectFile("it has millions of empty lines in a row")
    yield chunk
  }
}

function lineBreaksAtEnd(text: string): number {
  let at = text.length
  while (at > 0 && (text[at - 1] === "\n" || text[at - 1] === "\r")) at--
  return text.length - at
}

interface Parsed {
  record: string[]
  info: { lines: number }
}

function parserOf(separator: Separator, malformed: TableRecord[], rejectFile: RejectFile): Parser {
  /** The newest record that has errors, as far as it was read, and how many they are. */
  let last = { line: 0, error: "", text: "", errors: 0 }

  function skip(error: CsvError, text: string): void {
    // At its first error, a record is never longer than one that begins in the same way.
    const isSameRecord = text.length > last.text.length && text.startsWith(last.text)
    if (last.errors > 0 && isSameRecord) {
      malformed.pop()
      last = { ...last, text, errors: last.errors + 1 }
    } else {
      // The text begins with the empty lines before the record.
      const line = Number(error.lines) - lineBreaksIn([text.trimStart()])
      last = { line, error: describeError(error), text, errors: 1 }
    }
    if (last.errors > maxErrorsOfRecord) rejectFile(unterminated(last.line))
    malformed.push({ line: last.line, error: last.error, text })
  }

  return new Parser({
    delimiter: separator,
    quote: separator === "\t" ? null : '"',
    record_delimiter: ["\r\n", "\n"],
    info: true,
    raw: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRecordLength,
    skip_records_with_error: true,
    on_skip: (error, text = "") => {
      if (!error || fatal.has(error.code)) throw error
      skip(error, text)
      return undefined
    },
  })
}

const fatal = new Set<string>(["CSV_QUOTE_NOT_CLOSED", "CSV_MAX_RECORD_SIZE"])

function describeError(error: CsvError): string {
  switch (error.code) {
    case "CSV_QUOTE_NOT_CLOSED":
      return "it is truncated: it ends inside a quoted value"
    case "CSV_MAX_RECORD_SIZE":
      return unterminated(error.lines)
    case "CSV_INVALID_CLOSING_QUOTE":
      return "text follows a closing quote; double the quotes inside a quoted value"
    case "INVALID_OPENING_QUOTE":
      return "a value that is not quoted contains a quote"
    default:
      return `it is not valid CSV (line ${error.lines})`
  }
}

const unterminated = (line: unknown): string => `unterminated quoted value (line ${line})`

function lineBreaksIn(record: readonly string[]): number {
  return record.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0)
}
