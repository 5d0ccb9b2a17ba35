/**
 * Applies the staged rows to the resource's table. It writes only rows that differ, with the new release, and
 * moves their previous versions to the history. It does not compare computed columns (links, totals).
 */
import type { OrderTerm } from "../../data/resources/resource.ts"
import { orderOf } from "../../data/resources/resource.ts"
import { guardAgainstEmptying } from "./emptied.ts"
import type { ChangeFigures } from "./figures.ts"
import { keepInHistory } from "./history.ts"
import { linkColumns } from "./links.ts"
import { compareShapes } from "./shapes.ts"
import { placeColumns } from "./staged-shape.ts"
import { stagedValues } from "./staged-values.ts"
import type { Staging } from "./staging.ts"

/** Updates before it inserts, so that inserted rows are not compared. */
export async function applyStaged(
  staging: Staging,
): Promise<Pick<ChangeFigures, "added" | "changed" | "reshaped">> {
  const changed = await updateChanged(staging)
  const added = await insertAdded(staging)
  return { added, ...changed }
}

async function updateChanged(
  staging: Staging,
): Promise<Pick<ChangeFigures, "changed" | "reshaped">> {
  const { sql, staged, table, key, columns, release } = staging
  const values = stagedValues(staging)
  const others = columns.filter((column) => column !== key && !values.isKept(column))
  await sql.unsafe('create temporary table changed (key text collate "C") on commit drop')
  const { count } = await sql.unsafe(
    `insert into changed select t.${key} from ${table} t join ${staged} s on t.${key} = s.${key}
     where (${others.map((column) => `t.${column}`)}) is distinct from (${others.map(values.of)})`,
  )
  if (count === 0) return { changed: 0 }
  await sql.unsafe("analyze changed")
  await guardAgainstEmptying(staging, values)
  const reshaped = await compareShapes(staging, values)
  const written = [...others, ...placeColumns(staging.resource)]
  const assignments = written.map((column) => `${column} = ${values.of(column)}`)
  await sql.unsafe(
    `with kept as (${keepInHistory(staging.resource.table, `t.${key} in (select key from changed)`, "$1")})
     update ${table} t set ${assignments}, file = s.file, since_release = $1::integer
     from ${staged} s, changed c where t.${key} = s.${key} and t.${key} = c.key`,
    [release],
  )
  return { changed: count, ...(reshaped > 0 && { reshaped }) }
}

/** Inserts in the default order of lists, so that the rows of a page are stored together. */
async function insertAdded(staging: Staging): Promise<number> {
  const { sql, source, resource, staged, table, key, release } = staging
  const columns = [...staging.columns, ...placeColumns(resource)]
  const computed = linkColumns(resource)
  const order = orderOf(resource).map(
    ({ column, direction }: OrderTerm) => `s.${column.name} ${direction}`,
  )
  const result = await sql.unsafe(
    `insert into ${table} (${[...columns, ...Object.keys(computed)]}, file, source, since_release)
     select ${[...columns.map((column) => `s.${column}`), ...Object.values(computed)]}, s.file, $1::text, $2::integer
     from ${staged} s
     where not exists (select from ${table} t where t.${key} = s.${key})
     order by ${order}`,
    [source, release],
  )
  return result.count
}
