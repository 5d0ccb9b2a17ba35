/** A reader of RFC 4180, as small as it can be, that shares nothing with the writer under test. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  let row: string[] = []
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex
    const [, quoted, plain, end] = cell.exec(text) ?? fail(`No CSV cell at ${at}`)
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? "")
    if (end !== "\r\n") continue
    rows.push(row)
    row = []
  }
  if (row.length > 0) fail("The last row has no end")
  return rows
}

/** TSV has no quoting: every tab and every line break separates. */
export function parseTsv(text: string): string[][] {
  if (!text.endsWith("\r\n")) fail("The last row has no end")
  return text
    .slice(0, -2)
    .split("\r\n")
    .map((line) => (/[\r\n]/.test(line) ? fail("A line break inside a row") : line.split("\t")))
}

function fail(message: string): never {
  throw new Error(message)
}
