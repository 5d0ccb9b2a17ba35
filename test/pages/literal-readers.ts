/** Readers of text literals, after the grammars of their languages, independent of what writes them. */

function inQuotes(literal: string): string {
  if (!/^".*"$/s.test(literal)) throw new Error(`Not in quotes: ${literal}`)
  return literal.slice(1, -1)
}

/** Within quotes, a quote is written twice and all else as it is. */
export function readFormulaText(literal: string): string {
  const text = inQuotes(literal)
  if (/"/.test(text.replaceAll('""', ""))) throw new Error("A quote ends the text early")
  return text.replaceAll('""', '"')
}

const powerQueryEscapes: Readonly<Record<string, string>> = {
  cr: "\r",
  lf: "\n",
  tab: "\t",
  "#": "#",
}

/** The same, with `#(…)` as a list of escapes. A line cannot end in it. */
export function readPowerQueryText(literal: string): string {
  const text = readFormulaText(literal)
  if (/[\r\n]/.test(text)) throw new Error("The text has a line break")
  return text.replace(/#\(([^)]*)\)/g, (_, names: string) =>
    names
      .split(",")
      .map((name) => {
        const character = powerQueryEscapes[name]
        if (character === undefined) throw new Error(`An unknown escape: ${name}`)
        return character
      })
      .join(""),
  )
}

const rEscapes: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
  "\\": "\\",
  '"': '"',
}

/** R's escapes in double quotes (`?Quotes`), without those that no text needs. */
export function readRText(literal: string): string {
  let text = ""
  const source = inQuotes(literal)
  for (let at = 0; at < source.length; at++) {
    if (source[at] === '"') throw new Error("A quote ends the text early")
    if (source[at] !== "\\") {
      text += source[at]
      continue
    }
    const [whole = "", hex] = /^u([0-9a-f]{4})/i.exec(source.slice(at + 1)) ?? []
    const read = hex
      ? String.fromCharCode(Number.parseInt(hex, 16))
      : rEscapes[source[at + 1] ?? ""]
    if (read === undefined || read === "\0") throw new Error(`An unknown escape at ${at}`)
    text += read
    at += Math.max(1, whole.length)
  }
  return text
}
