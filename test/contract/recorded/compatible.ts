/**
 * Compares a response with the recorded one, and allows what the guide's page "Compatibility" allows: fields at the
 * end of a record, columns at the end of a table, headers, properties in `details`, and other words in `message`.
 */
import { parseCsv, parseTsv } from "../delimited-reader.ts"
import type { Exchange } from "./exchange.ts"

/** Lists what a client of the recorded version would notice. */
export function differences(was: Exchange, is: Exchange): string[] {
  if (was.status === 0) return [`${was.request} has no recorded response`]
  const found =
    was.status === is.status
      ? [...headerDifferences(was.headers, is.headers), ...bodyDifferences(was, is)]
      : [`status: ${was.status} is now ${is.status}`, ...lineDifferences(was.body, is.body)]
  return found.length === 0 ? [] : [`${was.request}\n    ${first(found, 8).join("\n    ")}`]
}

/** The first texts, and how many more there are. */
export const first = (texts: readonly string[], count: number): string[] => [
  ...texts.slice(0, count),
  ...(texts.length > count ? [`and ${texts.length - count} more`] : []),
]

type Headers = Exchange["headers"]

const headerDifferences = (was: Headers, is: Headers): string[] =>
  Object.entries(was).flatMap(([name, value]) => {
    const now = is[name]
    if (now === value) return []
    if (name === "access-control-expose-headers" && now && isWithin(value, now)) return []
    return now === undefined
      ? [`${name}: ${value} is missing`]
      : [`- ${name}: ${value}`, `+ ${name}: ${now}`]
  })

const isWithin = (was: string, is: string): boolean =>
  was.split(", ").every((each) => is.split(", ").includes(each))

function bodyDifferences({ headers, body: was }: Exchange, { body: is }: Exchange): string[] {
  if (was === is) return []
  const type = headers["content-type"] ?? ""
  if (type.startsWith("text/csv")) return tableDifferences(was, is, parseCsv)
  if (type.startsWith("text/tab-separated")) return tableDifferences(was, is, parseTsv)
  if (!/json$|parquet$/.test(type) || is === "") return lineDifferences(was, is)
  return type.endsWith("ndjson")
    ? jsonDifferences("record", recordsIn(was), recordsIn(is))
    : jsonDifferences("", JSON.parse(was), JSON.parse(is))
}

const recordsIn = (text: string): unknown =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

/** A table may have further columns at its end. With the same columns, its bytes are the same. */
function tableDifferences(was: string, is: string, parse: (text: string) => string[][]): string[] {
  const [before = [], after = []] = [was, is].map((text) => parse(text.replaceAll("␍", "\r")))
  const columns = before[0]?.length ?? 0
  const isLonger = (after[0]?.length ?? 0) > columns
  const cut = after.map((row) => row.slice(0, columns))
  return isLonger && Bun.deepEquals(before, cut) ? [] : lineDifferences(was, is)
}

const mostLines = 6

function lineDifferences(was: string, is: string): string[] {
  const [before, after] = [was.split("\n"), is.split("\n")]
  const only = (lines: string[], others: string[], mark: string) =>
    lines
      .filter((line) => !others.includes(line))
      .slice(0, mostLines)
      .map((line) => `${mark} ${line}`)
  const found = [...only(before, after, "-"), ...only(after, before, "+")]
  if (found.length > 0 || was === is) return found
  const at = before.findIndex((line, index) => line !== after[index])
  return [`another order, from line ${at + 1}: ${before[at]}`, `is now: ${after[at]}`]
}

/** The parts of a body whose names never change. All other objects may get further names at their end. */
const fixed = ["", "meta", "error"]

function jsonDifferences(at: string, was: unknown, is: unknown): string[] {
  if (Array.isArray(was) && Array.isArray(is)) return arrayDifferences(at, was, is)
  if (isObject(was) && isObject(is)) return objectDifferences(at, was, is)
  // Other words are allowed, of the interface's own errors too.
  if (/^error\b.*\bmessage$/.test(at) && typeof was === typeof is) return []
  return Bun.deepEquals(was, is) ? [] : [`${at}: ${shown(was)} is now ${shown(is)}`]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 300) ?? "missing"

function arrayDifferences(at: string, was: unknown[], is: unknown[]): string[] {
  // The valid values of a parameter, and the columns of a Parquet file.
  if (at.endsWith(".allowed")) {
    const gone = was.filter((each) => !is.includes(each))
    return gone.map((each) => `${at}: ${shown(each)} is missing`)
  }
  const mayGrow = at === "columns"
  return [
    ...(was.length === is.length || (mayGrow && is.length > was.length)
      ? []
      : [`${at}: ${was.length} entries are now ${is.length}`]),
    ...was
      .flatMap((each, index) =>
        index < is.length ? jsonDifferences(`${at}[${index}]`, each, is[index]) : [],
      )
      .slice(0, mostLines),
  ]
}

function objectDifferences(at: string, was: Record<string, unknown>, is: Record<string, unknown>) {
  const [before, after] = [Object.keys(was), Object.keys(is)]
  const gone = before.filter((name) => !after.includes(name))
  const further = after.filter((name) => !before.includes(name))
  const isMoved = gone.length === 0 && before.some((name, index) => name !== after[index])
  const path = (name: string) => (at === "" ? name : `${at}.${name}`)
  return [
    ...gone.map((name) => `${path(name)} is missing`),
    ...(fixed.includes(at) || gone.length > 0 ? further.map((name) => `${path(name)} is new`) : []),
    ...(isMoved ? [`${at}: the order ${before.join(", ")} is now ${after.join(", ")}`] : []),
    ...before
      .filter((name) => after.includes(name))
      .flatMap((name) => jsonDifferences(path(name), was[name], is[name])),
  ]
}
