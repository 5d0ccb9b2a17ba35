/**
 * The unlinked holders, as a file that a person completes into a subsidiaries file. It has that
 * source's columns with `parent_asx_code` empty, and the number of tenements of each holder, most
 * first. Loading it unchanged does nothing: rows without a parent are left out.
 */
import { closeSync, openSync, rmSync, writeFileSync } from "node:fs"
import type { TransactionSql } from "postgres"
import { withConnection } from "../db/connection.ts"
import { normaliseName } from "../text/company-name.ts"
import { type Column, delimitedWriter } from "../text/delimited.ts"
import { codeOf } from "../text/error-code.ts"
import { namedHolders } from "../text/holder-names.ts"
import { LoadError, reasonOf } from "./load-error.ts"
import { nameOwners } from "./name-owners.ts"

export interface UnlinkedFile {
  path: string
  holders: number
}

/** A holder, in its most frequent spelling. */
export interface UnlinkedHolder {
  name: string
  /** What all of its spellings share. */
  key: string
  /** How many tenements it holds, alone or with others. */
  tenements: number
}

/**
 * @throws LoadError if the file cannot be created, which a load should find out before it begins
 */
export function checkUnlinkedPath(path: string): void {
  writeNewFile(path, "")
  rmSync(path)
}

/** Writes the unlinked holders of the newest release. @throws LoadError */
export async function writeUnlinked(url: string, path: string): Promise<UnlinkedFile> {
  const holders = await readUnlinked(url)
  writeNewFile(path, unlinkedCsv(holders))
  return { path, holders: holders.length }
}

/** Writes all of the file or nothing. Never overwrites one: a person may have half completed it. */
export function writeNewFile(path: string, text: string): void {
  let isOurs = false
  try {
    const file = openSync(path, "wx")
    isOurs = true
    try {
      writeFileSync(file, text)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (isOurs) rmSync(path, { force: true })
    const reason = codeOf(error) === "ENOENT" ? "no such directory" : reasonOf(error)
    throw new LoadError(`Cannot write ${path}: ${reason}`, { cause: error })
  }
}

/** The unlinked holders of the newest release. */
export const readUnlinked = (url: string): Promise<UnlinkedHolder[]> =>
  withConnection(url, (client) =>
    client.begin("isolation level repeatable read read only", unlinkedHolders),
  )

/** Those of the transaction's snapshot, most tenements first. */
export async function unlinkedHolders(sql: TransactionSql): Promise<UnlinkedHolder[]> {
  const linked = await linkedKeys(sql)
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
  return [...spellings].map(mergeSpellings).sort(mostFrequentFirst)
}

async function linkedKeys(sql: TransactionSql): Promise<Set<string>> {
  const rows = await sql.unsafe(`select distinct key from (${nameOwners}) names`)
  return new Set(rows.map(({ key }) => String(key)))
}

/** By key, so that a tenement counts once for a holder that it names twice. */
function keysOf(holderName: string, keyOf: (name: string) => string): Map<string, string> {
  const names = namedHolders(holderName).map((name) => [keyOf(name), name] as const)
  return new Map(names.filter(([key]) => key !== ""))
}

/** Holders recur, and looking a name up is faster than normalising it. */
function memoized(keyOf: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>()
  return (name) => {
    const key = known.get(name) ?? keyOf(name)
    known.set(name, key)
    return key
  }
}

function mergeSpellings([key, names]: [string, ReadonlyMap<string, number>]): UnlinkedHolder {
  const byCount = [...names].sort(([a, x], [b, y]) => y - x || compare(a, b))
  const tenements = byCount.reduce((total, [, count]) => total + count, 0)
  return { name: byCount[0]?.[0] ?? "", key, tenements }
}

const mostFrequentFirst = (a: UnlinkedHolder, b: UnlinkedHolder) =>
  b.tenements - a.tenements || compare(a.name, b.name)

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const textColumn = (name: string): Column => ({ name, type: "string", freeText: true })

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

/** The whole file. */
export const unlinkedCsv = (holders: readonly UnlinkedHolder[]): string =>
  subsidiariesCsv(
    holders.map(({ name, tenements }) => ({ name, tenements })),
    ["tenements"],
  )
