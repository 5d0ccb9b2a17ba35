/** Indexes that can be dropped before many rows are inserted, and built after it. */
import type { TransactionSql } from "postgres"

export interface Index {
  name: string
  definition: string
}

/**
 * Those of which the definition says everything, without the key's and other constraints'.
 * @param table as the database reads it
 */
export const deferrableIndexes = (sql: TransactionSql, table: string): Promise<Index[]> =>
  sql.unsafe(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = $1::regclass and i.indisvalid
       and not i.indisreplident and not i.indisclustered and c.reltablespace = 0
       and obj_description(i.indexrelid, 'pg_class') is null
       and not exists (select from pg_constraint where conindid = i.indexrelid)
     order by 1`,
    [table],
  )
