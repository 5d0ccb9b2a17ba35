/**
 * Applies the differences to the resource's table. It writes only rows that differ, with the new release, and
 * moves their previous versions to the history.
 */
import type { OrderTerm } from "../../data/resources/resource.ts"
import { orderOf } from "../../data/resources/resource.ts"
import type { Compared } from "./differences.ts"
import { keepInHistory } from "./history.ts"
import { linkColumns } from "./links.ts"
import { placeColumns } from "./staged-shape.ts"

export async function updateChanged(compared: Compared): Promise<void> {
  const { sql, accepted, table, key, release, resource } = compared
  const { values, written, counts } = compared
  if (counts.changed === 0) return
  const changed = `select key from differences where difference = 'changed'`
  const columns = [...written, ...placeColumns(resource)]
  const assignments = columns.map((column) => `${column} = ${values.of(column)}`)
  await sql.unsafe(
    `with kept as (${keepInHistory(resource.table, `t.${key} in (${changed})`)})
     update ${table} t set ${assignments}, file = s.file, since_release = $1::integer
     from ${accepted} s, (${changed}) c where t.${key} = s.${key} and t.${key} = c.key`,
    [release],
  )
}

/**
 * Inserts in the default order of lists, so that the rows of a page are stored together. A join with the added
 * keys of a first load would take 200 MB more than the search for stored ones, which finds the same rows.
 */
export async function insertAdded(compared: Compared): Promise<void> {
  const { sql, source, resource, accepted, table, key, release, counts } = compared
  if (counts.added === 0) return
  const columns = [...compared.columns, ...placeColumns(resource)]
  const computed = linkColumns(resource)
  const order = orderOf(resource).map(
    ({ column, direction }: OrderTerm) => `s.${column.name} ${direction}`,
  )
  await sql.unsafe(
    `insert into ${table} (${[...columns, ...Object.keys(computed)]}, file, source, since_release)
     select ${[...columns.map((column) => `s.${column}`), ...Object.values(computed)]}, s.file, $1::text, $2::integer
     from ${accepted} s where not exists (select from ${table} t where t.${key} = s.${key})
     order by ${order}`,
    [source, release],
  )
}
