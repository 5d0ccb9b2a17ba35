/** What sources do with one another's records, by the precedence that they declare (`yieldsTo`). */
import type { TransactionSql } from "postgres"
import { precedenceOver, sourcesYieldingTo } from "../sources/catalogue.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import type { Staging } from "./staging.ts"

interface Context {
  sql: TransactionSql
  staging: Staging
  /** The load's source, by name. */
  source: string
}

export interface LeftOut {
  file: number
  reason: string
  count: number
}

/**
 * Leaves out rows of records that higher sources own, and new records where they may not be added.
 */
export async function leaveOutOfHigherSources({
  sql,
  staging,
  source,
}: Context): Promise<LeftOut[]> {
  const { staged, table, key } = staging
  const higher = precedenceOver(source)
  if (!higher) return []
  const counts = await sql.unsafe(
    `with left_out as (
      delete from ${staged} s using (
        select s.ctid as place, t.source as owner
        from ${staged} s left join ${table} t on t.${key} = s.${key}
      ) known
      where known.place = s.ctid and (known.owner = any($1::text[]) or
        known.owner is null and not $2::boolean
          and exists (select from ${table} t where t.source = any($1::text[])))
      returning s.file, known.owner)
    select file, owner, count(*)::integer as count from left_out group by 1, 2 order by 1, 2`,
    [arrayLiteral(higher.sources), higher.mayAdd],
  )
  return counts.map(({ file, owner, count }) => ({
    file,
    count,
    reason:
      owner === null ? `not in ${higher.sources.join(" or ")}` : `already loaded from ${owner}`,
  }))
}

/** Makes the records of lower sources this one's, to be compared and changed like its own. */
export async function takeOverFromLowerSources({ sql, staging, source }: Context): Promise<void> {
  const { staged, table, key } = staging
  const lowerSources = sourcesYieldingTo(source)
  if (lowerSources.length === 0) return
  await sql.unsafe(
    `update ${table} t set source = $1 from ${staged} s
     where t.${key} = s.${key} and t.source = any($2::text[])`,
    [source, arrayLiteral(lowerSources)],
  )
}
