/**
 * Gives records of one reference (`sharedReferences`) ids of their own: the id of the reference with
 * the record's distinction, where the file has several. A record that its source has stored keeps
 * its id, also when the others of its reference come or go.
 */
import type { TransactionSql } from "postgres"
import type { SharedReferences } from "../sources/source.ts"
import type { Staging } from "./staging.ts"

export const keyWith = (key: string, distinction: string): string => `${key}-${distinction}`

interface Context {
  sql: TransactionSql
  staging: Staging
  /** The load's source, by name. */
  source: string
}

/** Several files of one load are editions of a register, and are not counted as side by side. */
export async function tellApart(
  { sql, staging, source }: Context,
  { sameField }: SharedReferences,
): Promise<void> {
  const { staged, table, key } = staging
  const longer = (distinction: string) => `s.${key} || '-' || ${distinction}`
  await sql.unsafe(
    `with per_file as (
       select ${key}, count(distinct distinction) as distinctions, min(distinction) as distinction
       from ${staged} where distinction <> '' group by ${key}, file
     ), shared as (
       select ${key}, max(distinctions) > 1 as by_several, min(distinction) as distinction
       from per_file group by ${key}
     )
     update ${staged} s
     set ${key} = ${longer("case when by_several then s.distinction else shared.distinction end")}
     from shared
     where s.${key} = shared.${key} and case when by_several
       then s.distinction <> '' and not exists (select from ${table} t
         where t.${key} = s.${key} and t.source = $1 and t.${sameField} = s.${sameField})
       else exists (select from ${table} t
         where t.${key} = ${longer("shared.distinction")} and t.source = $1) end`,
    [source],
  )
}

/**
 * Numbers the different records that have one id even so: the first keeps it, the second is `id~2`.
 * Their order is that of their values, so it does not depend on that of the rows; later fields are
 * compared first, as areas and dates change less often than holders and status.
 *
 * @param repeated a query of the keys that several rows have
 */
export async function numberApart(
  { sql, staging }: Pick<Context, "sql" | "staging">,
  repeated: string,
): Promise<void> {
  const { resource, staged, key, columns } = staging
  const fields = columns.filter((column) => column !== key && column in resource.fields)
  await sql.unsafe(
    `update ${staged} s set ${key} = numbered.${key} || '~' || nth
     from (
       select ctid as place, ${key},
         dense_rank() over (partition by ${key} order by ${fields.toReversed()}) as nth
       from ${staged} r where distinction is not null and ${key} in (${repeated})
         and not exists (select from ${staged} o where o.${key} = r.${key} and o.file <> r.file)
     ) numbered
     where s.ctid = numbered.place and nth > 1`,
  )
}
