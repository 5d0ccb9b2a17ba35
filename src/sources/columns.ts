/** Whether a file's header is that of a source, and what is wrong with it where it is not. */

export interface Columns {
  required: readonly string[]
  optional: readonly string[]
  /** What a column of another name means: a mistake, or something the source has no use for. */
  others: "refuse" | "ignore"
}

/** For each column of a header the name it is known by, null for one to ignore; or what is wrong. */
export type ColumnMatch = { names: (string | null)[] } | { fault: string }

/** Compares without regard to case and outer blanks. */
export function matchColumns(columns: Columns, header: readonly string[]): ColumnMatch {
  const known = [...columns.required, ...columns.optional]
  const names = header.map((written) => known.find((name) => same(name, written)) ?? null)
  const missing = columns.required.filter((name) => !names.includes(name))
  const unknown = header.filter((_, index) => names[index] === null)
  const faults = [
    ...known
      .filter((name) => count(names, name) > 1)
      .map((name) => `column "${name}" stands twice`),
    ...(columns.others === "refuse" ? unknown.map((name) => unknownColumn(name, known)) : []),
    ...missing.map((name) => missingColumn(name, unknown, columns.others)),
  ]
  if (faults.length === 0) return { names }
  if (missing.length === columns.required.length && missing.length > 1)
    return { fault: nothingKnown(header, known) }
  return { fault: faults.join("; ") }
}

/** The known name that a mistyped one most likely means. */
export function nearest(written: string, known: readonly string[]): string | undefined {
  const distances = known.map((name) => ({ name, distance: distance(plain(written), plain(name)) }))
  const best = distances.sort((a, b) => a.distance - b.distance)[0]
  return best && best.distance <= Math.max(1, best.name.length / 4) ? best.name : undefined
}

function unknownColumn(written: string, known: readonly string[]): string {
  if (written.trim() === "") return "a column has no name"
  const near = nearest(written, known)
  return `unknown column "${shown(written)}"${near ? ` (is it "${near}"?)` : ""}`
}

function missingColumn(name: string, unknown: readonly string[], others: Columns["others"]) {
  // Where unknown columns are refused, the likely one has been named already.
  const near = others === "ignore" ? nearest(name, unknown) : undefined
  return `column "${name}" is missing${near ? ` (is it "${shown(near)}"?)` : ""}`
}

function nothingKnown(header: readonly string[], known: readonly string[]): string {
  const found = header.slice(0, 8).map((name) => `"${shown(name)}"`)
  return `its first line is no header of this source: it reads ${found.join(", ")}, the columns are ${known.join(", ")}`
}

const same = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase()
const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")
const shown = (name: string) => (name.length > 40 ? `${name.slice(0, 40)}…` : name)
const count = (names: readonly (string | null)[], name: string) =>
  names.filter((other) => other === name).length

/** Levenshtein distance: how many letters must be put in, taken out or changed. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
