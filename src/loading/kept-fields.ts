/**
 * Fields that a file lacks: it lacks a column that they are read from, and no row has a value. In the JSON
 * forms a column is a name that some row has.
 */
import type { ResourceRecord } from "../resources/resource.ts"
import type { Source } from "../sources/source.ts"
import { type Row, readable } from "./reading/row.ts"

export function createKeptFields(fromOptional: Source["fromOptional"] = {}) {
  /** By field, the columns that no row has had so far. */
  const absent = new Map(Object.entries(fromOptional))
  return {
    /** Notes which columns the rows have, and which values the records made of them. */
    see: (rows: readonly Row[], candidates: readonly { record: ResourceRecord }[]) => {
      // The first rows mostly have every column, which leaves nothing to check in the others.
      for (const [field, columns] of absent) {
        const left = columns.filter((column) => !rows.some((row) => hasColumn(row, column)))
        const hasValue = () => candidates.some(({ record }) => record[field] !== null)
        if (left.length === 0 || hasValue()) absent.delete(field)
        else absent.set(field, left)
      }
    },
    /** Call it once all rows were seen. */
    names: () => [...absent.keys()],
  }
}

const hasColumn = (row: Row, column: string): boolean => column in readable(row)
