/**
 * The unlinked holders, as a file that a person completes into a subsidiaries file. It has that source's
 * columns with an empty `parent_asx_code`, and the number of tenements of each holder, most first. Loading
 * it unchanged does nothing: rows without a parent are left out.
 */
import type { TransactionSql } from "postgres"
import { type DelimitedColumn, delimitedWriter } from "../../api/http/delimited.ts"
import { withSnapshot } from "../../data/db/connection.ts"

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
export const unlinkedHolders = (sql: TransactionSql): Promise<UnlinkedHolder[]> =>
  sql.unsafe<UnlinkedHolder[]>(
    `with spelled as (
       select key, name collate "C" as name, count(*)::integer as tenements
       from tenements, unnest(holder_keys,
         coalesce(nullif(holder_spellings, '{}'), string_to_array(holder_name, '; '))) as holder (key, name)
       where key is not null group by 1, 2
     )
     select (array_agg(name order by tenements desc, name))[1] as name, key,
       sum(tenements)::integer as tenements
     from spelled where not exists (select from link_keys n where n.key = spelled.key)
     group by key order by tenements desc, name`,
  )

/** The columns of a subsidiaries file, of which a person fills in all but the name. */
const subsidiaryColumns = ["name", "parent_asx_code", "country", "ownership_percentage"]

/** A whole file of subsidiaries, with further columns for a person to read. */
export function subsidiariesCsv(
  rows: readonly Readonly<Record<string, unknown>>[],
  further: readonly string[],
): string {
  const names = [...subsidiaryColumns, ...further]
  const columns = names.map((name): DelimitedColumn => ({ name, type: "text" }))
  const writer = delimitedWriter("csv", columns, { formulaGuard: true })
  return writer.header + writer.rows(rows)
}
