/**
 * The guard against a truncated download. A complete set that lacks more than a twentieth of its
 * source's records is more often half a file than a true one.
 */
import type { TransactionSql } from "postgres"
import type { Source } from "../sources/source.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import { LoadError } from "./load-error.ts"
import { formatCount } from "./progress.ts"
import type { Staging } from "./staging.ts"

export type WhenMissing = Source["whenMissing"]

/**
 * The condition that a row `t` of the table is the source's ($1), not yet deactivated, and in no
 * file.
 */
export function missingCondition({ staged, key }: Staging, whenMissing: WhenMissing): string {
  return `${storedCondition(whenMissing)}
    and not exists (select from ${staged} s where s.${key} = t.${key})
    and not exists (select from unnest($2::text[]) as rejected (key) where rejected.key = t.${key})`
}

/** A record that has been deactivated already is not missing again. */
const storedCondition = (whenMissing: WhenMissing) =>
  whenMissing === "remove" ? "t.source = $1" : `t.source = $1 and t.${whenMissing.setFalse}`

const maxMissingShare = 0.05

/** @throws LoadError with the figures. `rejectedKeys` are those of rows that were rejected. */
export async function guardAgainstShrinking(
  sql: TransactionSql,
  staging: Staging,
  whenMissing: WhenMissing,
  source: string,
  rejectedKeys: readonly string[],
): Promise<void> {
  const [counts] = await sql.unsafe(
    `select count(*)::integer as stored, (
       select count(*)::integer from ${staging.table} t where ${missingCondition(staging, whenMissing)}
     ) as missing
     from ${staging.table} t where ${storedCondition(whenMissing)}`,
    [source, arrayLiteral(rejectedKeys)],
  )
  if (!counts || counts.missing <= counts.stored * maxMissingShare) return
  const share = ((100 * counts.missing) / counts.stored).toFixed(1)
  const active = whenMissing === "remove" ? "" : "active "
  const effect = whenMissing === "remove" ? "removed" : "deactivated"
  throw new LoadError(
    `Nothing was published: ${formatCount(counts.missing)} of the ${formatCount(counts.stored)} ${active}${staging.table} ` +
      `of the source ${source} (${share}%) are missing from the files and would be ${effect}. ` +
      "If a file is truncated, load a complete one; if the records no longer exist, add --accept-shrink",
  )
}
