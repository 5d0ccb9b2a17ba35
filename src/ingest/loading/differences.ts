/**
 * The differences between the files and the stored records, in one table by the key of the record. Every guard
 * and every figure of the changes reads it, and the later steps apply it. The temporary table `differences` has
 * added, changed and missing records, and unchanged ones that were missing; `has_note` if one was missing before.
 *
 * Computed columns (links, totals) are not compared.
 */
import { columnNameOf } from "../../data/resources/resource.ts"
import { arrayLiteral } from "../../system/text/array-literal.ts"
import type { Source } from "../sources/source.ts"
import { shapeColumns } from "./staged-shape.ts"
import type { Staging } from "./staging.ts"

/** The staged rows, compared with the stored records. */
export interface Compared extends Staging {
  values: ReturnType<typeof stagedValues>
  /** The columns whose values the files have, without the key. */
  written: readonly string[]
  /** How many records differ so. */
  counts: Record<"added" | "changed" | "reshaped" | "missing" | "newly" | "returned", number>
}

/** @param isWhole whether a record that no file has is missing */
export async function compare(staging: Staging, isWhole: boolean): Promise<Compared> {
  const { sql, source, staged, accepted, table, key, columns, resource, rejectedKeys } = staging
  const values = stagedValues(staging)
  const written = columns.filter((column) => column !== key && !values.isKept(column))
  // A record whose row is rejected is not missing.
  const isRejected = `t.${key} in (
    select unnest($3::text[]) union all select ${key} from ${staged} where verdict = 'rejected')`
  const unread = `select t.${key}, case when ${isRejected} then 'same' else 'missing' end, false
    from ${table} t where ${isStored(staging.load.source)}
      and not exists (select from ${accepted} s where s.${key} = t.${key})
      and (${isRejected} or ${isWhole} and ${isCovered(staging)})`
  await sql.unsafe(
    `create temporary table differences
       (key text collate "C", difference text, is_reshaped boolean, has_note boolean) on commit drop`,
  )
  await sql.unsafe(
    `insert into differences
     select found.key, difference, is_reshaped, m.key is not null
     from (
       select s.${key} as key,
         case when t.${key} is null then 'added'
           when (${written.map((column) => `t.${column}`)}) is distinct from (${written.map(values.of)}) then 'changed'
           else 'same' end as difference,
         t.${key} is not null and ${resource.hasShapes ? `t.geometry is distinct from ${values.of("geometry")}` : "false"} as is_reshaped
       from ${accepted} s left join ${table} t on t.${key} = s.${key}
       union all ${unread}
     ) found left join missing_records m on m.source = $1 and m.resource = $2 and m.key = found.key
     where difference <> 'same' or m.key is not null`,
    [source, table, arrayLiteral(rejectedKeys)],
  )
  await sql.unsafe(`analyze differences (difference)`)
  const [counts] = await sql.unsafe<[Compared["counts"]]>(
    `select ${Object.entries(counted).map(
      ([name, condition]) => `count(*) filter (where ${condition})::integer as ${name}`,
    )} from differences`,
  )
  return { ...staging, values, written, counts }
}

const counted = {
  added: "difference = 'added'",
  changed: "difference = 'changed'",
  reshaped: "is_reshaped",
  missing: "difference = 'missing'",
  newly: "difference = 'missing' and not has_note",
  returned: "difference in ('changed', 'same') and has_note",
}

/** An inactive record is not missing again. */
export const isStored = ({ deactivatesMissing }: Source): string =>
  `t.source = $1${deactivatesMissing ? " and t.is_active" : ""}`

/** Whether the files would have the record, if its source still had it. */
const isCovered = ({ accepted, load: { source } }: Staging): string =>
  source.completeBy === undefined
    ? "true"
    : `t.${source.completeBy} in (select s.${source.completeBy} from ${accepted} s)`

/**
 * The values that staged rows give to records. Where a file has no column for a field, or no shapes, the stored
 * record keeps its value, and so do the columns derived from it.
 */
export function stagedValues({ resource, files }: Staging) {
  const isOfShape = (column: string) => shapeColumns.some((name) => name === column)
  const filesWithout = (column: string): number[] => {
    const fields = isOfShape(column) ? ["geometry"] : (resource.derived[column]?.from ?? [column])
    const isKept = (kept: readonly string[], name: string) =>
      kept.some((field) => columnNameOf(resource, field) === columnNameOf(resource, name))
    return files.flatMap(({ kept_fields: kept = [] }, index) =>
      fields.every((field) => isKept(kept, field)) ? [index] : [],
    )
  }
  /** The condition that the file of the staged row `s` has the column. */
  const isIn = (column: string): string => {
    const without = filesWithout(column)
    const conditions = [
      ...(without.length === 0 ? [] : [`s.file not in (${without})`]),
      ...(isOfShape(column) ? ["not s.keeps_shape"] : []),
    ]
    return conditions.join(" and ") || "true"
  }
  return {
    /** The new value of a record, as an expression over its stored row `t` and its staged row `s`. */
    of: (column: string) => {
      const condition = isIn(column)
      return condition === "true"
        ? `s.${column}`
        : `case when ${condition} then s.${column} else t.${column} end`
    },
    /** Whether no file has the column. */
    isKept: (column: string) => filesWithout(column).length === files.length,
    isIn,
  }
}
