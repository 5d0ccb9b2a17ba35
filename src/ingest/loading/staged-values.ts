/**
 * The values that staged rows give to records. Where a file has no column for a field, or no shapes, the stored
 * record keeps its value, and so do the columns derived from it.
 */
import { columnNameOf } from "../../data/resources/resource.ts"
import { shapeColumns } from "./staged-shape.ts"
import type { Staging } from "./staging.ts"

export interface StagedValues {
  /** The new value of a record, as an expression over its stored row `t` and its staged row `s`. */
  of: (column: string) => string
  /** Whether no file has the column. */
  isKept: (column: string) => boolean
  /** The condition that the file of the staged row `s` has the column. */
  isIn: (column: string) => string
}

export function stagedValues({ resource, files }: Staging): StagedValues {
  const isOfShape = (column: string) => shapeColumns.some((name) => name === column)
  const filesWithout = (column: string): number[] => {
    const fields = isOfShape(column) ? ["geometry"] : (resource.derived[column]?.from ?? [column])
    const isKept = (kept: readonly string[], name: string) =>
      kept.some((field) => columnNameOf(resource, field) === columnNameOf(resource, name))
    return files.flatMap(({ kept_fields: kept = [] }, index) =>
      fields.every((field) => isKept(kept, field)) ? [index] : [],
    )
  }
  const isIn = (column: string): string => {
    const without = filesWithout(column)
    const conditions = [
      ...(without.length === 0 ? [] : [`s.file not in (${without})`]),
      ...(isOfShape(column) ? ["not s.keeps_shape"] : []),
    ]
    return conditions.join(" and ") || "true"
  }
  return {
    of: (column) => {
      const condition = isIn(column)
      return condition === "true"
        ? `s.${column}`
        : `case when ${condition} then s.${column} else t.${column} end`
    },
    isKept: (column) => files.length > 0 && filesWithout(column).length === files.length,
    isIn,
  }
}
