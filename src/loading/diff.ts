/**
 * Applies the staged rows to the resource's table. Only rows that differ are written, and take the
 * new release; their previous versions move to the history. Computed columns (links, totals) are
 * not compared.
 */
import type { TransactionSql } from "postgres"
import type { OrderTerm } from "../resources/resource.ts"
import { orderOf } from "../resources/resource.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import { withDeferredIndexes } from "./deferred-indexes.ts"
import type { ChangeFigures } from "./figures.ts"
import { missingCondition, type WhenMissing } from "./guard.ts"
import { keepInHistory } from "./history.ts"
import type { Staging } from "./staging.ts"

interface Target {
  sql: TransactionSql
  staging: Staging
  source: string
  release: number
  /** Columns of added rows that no record contains, as expressions over the staged row `s`. */
  computed: Readonly<Record<string, string>>
}

/** Updates before it inserts, so that inserted rows are not compared. */
export async function applyStaged(
  target: Target,
): Promise<Pick<ChangeFigures, "added" | "changed">> {
  const changed = await updateChanged(target)
  const added = await withDeferredIndexes(target.sql, target.staging, () => insertAdded(target))
  return { added, changed }
}

async function updateChanged({ sql, staging, source, release }: Target): Promise<number> {
  const { staged, table, key, columns } = staging
  const others = columns.filter((column) => column !== key)
  const assignments = others.map((column) => `${column} = s.${column}`)
  const result = await sql.unsafe(
    `with changed as materialized (
       select t.${key} from ${table} t join ${staged} s on t.${key} = s.${key}
       where t.source = $1
         and (${others.map((column) => `t.${column}`)}) is distinct from (${others.map((column) => `s.${column}`)})
     ), kept as (${keepInHistory(staging.resource.table, `t.${key} in (select ${key} from changed)`, "$2")})
     update ${table} t set ${assignments}, since_release = $2 from ${staged} s, changed
     where t.${key} = s.${key} and t.${key} = changed.${key}`,
    [source, release],
  )
  return result.count
}

/** Inserts in the default order of lists, so that the rows of a page are stored together. */
async function insertAdded({ sql, staging, source, release, computed }: Target): Promise<number> {
  const { staged, table, key, columns } = staging
  const order = orderOf(staging.resource).map(
    ({ column, direction }: OrderTerm) => `s.${column.name} ${direction}`,
  )
  const result = await sql.unsafe(
    `insert into ${table} (${[...columns, ...Object.keys(computed)]}, source, since_release)
     select ${[...columns.map((column) => `s.${column}`), ...Object.values(computed)]}, $1::text, $2::integer
     from ${staged} s
     where not exists (select from ${table} t where t.${key} = s.${key})
     order by ${order}`,
    [source, release],
  )
  return result.count
}

/**
 * Only for a load that is its source's complete set. Records of `rejectedKeys` are left unchanged.
 */
export async function applyMissing(
  { sql, staging, source, release }: Target,
  whenMissing: WhenMissing,
  rejectedKeys: readonly string[],
): Promise<Pick<ChangeFigures, "removed" | "deactivated">> {
  const { table } = staging
  const condition = missingCondition(staging, whenMissing)
  const removal =
    whenMissing === "remove"
      ? `delete from ${table} t where ${condition}`
      : `update ${table} t set ${whenMissing.setFalse} = false, since_release = $3 where ${condition}`
  const result = await sql.unsafe(
    `with kept as (${keepInHistory(staging.resource.table, condition, "$3")}) ${removal}`,
    [source, arrayLiteral(rejectedKeys), release],
  )
  return whenMissing === "remove"
    ? { removed: result.count, deactivated: 0 }
    : { removed: 0, deactivated: result.count }
}
