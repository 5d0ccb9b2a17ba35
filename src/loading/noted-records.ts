/**
 * Which records that are noted as missing the rows of a load show to be there. Rows prove it also
 * where they are rejected, or where the load is refused in the end: a file that is cut lacks what
 * it should have, but what it has is true. So a refused load deletes notes, and makes none.
 */
import type { Sql, TransactionSql } from "postgres"
import type { Source } from "../sources/source.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import { referenceOf } from "./shared-references.ts"
import type { Staging } from "./staging.ts"

export interface NotedRecords {
  /** Takes the key of a row, as its source maps it. */
  see: (key: string) => void
  /** The keys of noted records that rows which were seen are, or may be. */
  seen: () => string[]
  /**
   * Leaves of them the records that the rows are. Called once all rows have their ids: before, a
   * row may be any record of its reference, and a rejected one still may.
   */
  settle: (staging: Staging, rejectedKeys: readonly string[]) => Promise<void>
}

/** As they are before the load. */
export async function readNoted(
  sql: TransactionSql,
  { name: source, resource, sharesReferences }: Source,
): Promise<NotedRecords> {
  const noted = await sql<{ key: string }[]>`
    select key from missing_records where source = ${source} and resource = ${resource.name}`
  const reference = sharesReferences ? referenceOf : (key: string) => key
  const unseen = Map.groupBy(
    noted.map(({ key }) => key),
    reference,
  )
  let seen: string[] = []
  return {
    see: (key) => {
      // Mostly nothing is missing.
      if (unseen.size === 0) return
      seen.push(...(unseen.get(reference(key)) ?? []))
      unseen.delete(reference(key))
    },
    seen: () => seen,
    settle: async ({ staged, key }, rejectedKeys) => {
      if (seen.length === 0) return
      const rows = await sql.unsafe<{ key: string }[]>(
        `select seen.key from unnest($1::text[]) as seen (key)
         where seen.key = any($2::text[]) or exists (select from ${staged} s where s.${key} = seen.key)`,
        [arrayLiteral(seen), arrayLiteral(rejectedKeys)],
      )
      seen = rows.map((row) => row.key)
    },
  }
}

/** For a load that was refused. `observed` is when its files were true; undefined for now. */
export async function forgetSeen(
  sql: Sql,
  { name: source, resource }: Source,
  seen: readonly string[],
  observed: string | undefined,
): Promise<void> {
  // Another load of newer files may have ended since.
  await sql.unsafe(
    `delete from missing_records where source = $1 and resource = $2 and key = any($3::text[])
       and last_missing_at <= coalesce($4::timestamptz, now())`,
    [source, resource.name, arrayLiteral(seen), observed ?? null],
  )
}
