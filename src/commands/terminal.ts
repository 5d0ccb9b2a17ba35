/** What commands print: results on standard output, everything else on standard error. */

/** A message for the person at the terminal. */
export const say = (message: string): void => {
  process.stderr.write(`${message}\n`)
}

/** A result, alone on its line, for a person or the next program. */
export const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

/** Rows under a header, in columns as wide as their widest cell. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows]
  const widths = header.map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? "").length)),
  )
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")
}
