/**
 * The unlinked holders, as a file that a person completes into a subsidiaries file. It has that source's
 * columns with an empty `parent_asx_code`, and the number of tenements of each holder, most first. Loading
 * it unchanged does nothing: rows without a parent are left out.
 */
import type { TransactionSql } from "postgres"
import { withSnapshot } from "../db/connection.ts"
import { normaliseName } from "../resources/company-name.ts"
import { namedHolders } from "../resources/holder-names.ts"
import { type DelimitedColumn, delimitedWriter } from "../text/delimited.ts"
import { memoized } from "../text/memoized.ts"

/** A holder, in its most frequent spelling. */
export interface UnlinkedHolder {
  name: string
  /** The normalised name, which its spellings share. */
  key: string
  /** How many tenements have it among their holders. */
  tenements: number
}

/** The unlinked holders of the newest release. */
export const readUnlinked = (url: string): Promise<UnlinkedHolder[]> =>
  withSnapshot(url, unlinkedHolders)

/** Those of the transaction's snapshot, most tenements first. */
export async function unlinkedHolders(sql: TransactionSql): Promise<UnlinkedHolder[]> {
  const linkKeys = await sql.unsafe("select distinct key from link_keys")
  const linked = new Set(linkKeys.map(({ key }) => String(key)))
  const keyOf = memoized(normaliseName)
  const spellings = new Map<string, Map<string, number>>()
  const rows = await sql.unsafe(
    "select holder_name, count(*)::integer as count from tenements where holder_name is not null group by 1",
  )
  for (const { holder_name, count } of rows) {
    for (const [key, name] of keysOf(holder_name, keyOf)) {
      if (linked.has(key)) continue
      const names = spellings.get(key) ?? new Map<string, number>()
      spellings.set(key, names.set(name, (names.get(name) ?? 0) + count))
    }
  }
  return [...spellings]
    .map(mergeSpellings)
    .sort((a, b) => b.tenements - a.tenements || compareText(a.name, b.name))
}

/** By key, so that a tenement counts once for a holder that it names twice. */
function keysOf(holderName: string, keyOf: (name: string) => string): Map<string, string> {
  const names = namedHolders(holderName).map((name) => [keyOf(name), name] as const)
  return new Map(names.filter(([key]) => key !== ""))
}

function mergeSpellings([key, names]: [string, ReadonlyMap<string, number>]): UnlinkedHolder {
  const byCount = [...names].sort(([a, x], [b, y]) => y - x || compareText(a, b))
  const tenements = byCount.reduce((total, [, count]) => total + count, 0)
  return { name: byCount[0]?.[0] ?? "", key, tenements }
}

export const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const textColumn = (name: string): DelimitedColumn => ({ name, type: "text" })

/** The columns of a subsidiaries file, of which a person fills in all but the name. */
const subsidiaryColumns = ["name", "parent_asx_code", "country", "ownership_percentage"]

/** A whole file of subsidiaries, with further columns for a person to read. */
export function subsidiariesCsv(
  rows: readonly Readonly<Record<string, unknown>>[],
  further: readonly string[],
): string {
  const columns = [...subsidiaryColumns, ...further].map(textColumn)
  const writer = delimitedWriter("csv", columns, { formulaGuard: true })
  return writer.header + writer.rows(rows)
}
