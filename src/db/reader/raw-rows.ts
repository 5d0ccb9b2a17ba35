/**
 * Runs statements whose rows are taken as PostgreSQL sends them. Drizzle builds the statements and the
 * driver prepares them, but both would make objects of each row, which takes several times as long.
 */
import { fillPlaceholders } from "drizzle-orm"
import type { Database } from "../pool/pool.ts"

/** A statement that Drizzle has built. */
export interface Query {
  sql: string
  params: unknown[]
  /**
   * Run in its place where it returns no rows, from which nothing is known: it returns the release with
   * nulls, or the rows that there are meanwhile.
   */
  whenEmpty?: Query
}

/** A row is at an offset of the bytes: for each column its length, or -1 for null, and its UTF-8 text. */
export type TakeRow = (bytes: Buffer, offset: number) => void

/** @param onrow called for one row at least, unless the query has no `whenEmpty` and returns none */
export async function takeRows(
  { $client }: Pick<Database, "$client">,
  { sql, params, whenEmpty }: Query,
  values: Record<string, unknown>,
  onrow: TakeRow,
): Promise<void> {
  const bound = fillPlaceholders(params, values) as (string | number | null)[]
  const { count } = await $client.unsafe(sql, bound, { prepare: true, onrow })
  if (count === 0 && whenEmpty) await takeRows({ $client }, whenEmpty, values, onrow)
}

/** The text of the cell at an offset; null for null. */
export function cellText(bytes: Buffer, at: number): string | null {
  const length = bytes.readInt32BE(at)
  return length < 0 ? null : bytes.toString("utf8", at + 4, at + 4 + length)
}

/** The offset of the cell after the one at an offset. */
export function nextCell(bytes: Buffer, at: number): number {
  const length = bytes.readInt32BE(at)
  return at + 4 + Math.max(0, length)
}
