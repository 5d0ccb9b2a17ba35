/** Computes derived columns again, by the functions that loads use. */
import type { TransactionSql } from "postgres"
import {
  columnNameOf,
  type Derived,
  type Resource,
  type ResourceRecord,
} from "../../data/resources/resource.ts"
import { stagedValues } from "./differences.ts"
import type { Staging } from "./staging.ts"

const batchRows = 5_000

interface Rows {
  resource: Resource
  /** The columns to compute. */
  columns: readonly (readonly [name: string, derived: Derived])[]
  /** The expression for the value of a column of the resource, and the rows after FROM. */
  expressionOf: (column: string) => string
  from: string
  onBatch?: (rows: number) => void
}

/**
 * Reads the rows in batches, and stores the computed columns of each in a temporary table by the key, which the
 * commit drops. Returns its name.
 */
export async function deriveAgain(
  sql: TransactionSql,
  { resource, columns, expressionOf, from: rows, onBatch }: Rows,
): Promise<string> {
  const { name, key } = resource
  const table = `derived_${name}`
  const names = columns.map(([column]) => column)
  const fields = [...new Set([key, ...columns.flatMap(([, { from }]) => from)])]
  const values = fields.map((field) => `${expressionOf(columnNameOf(resource, field))} as ${field}`)
  await sql.unsafe(
    `create temporary table ${table} on commit drop as select ${key}, ${names} from ${name} with no data`,
  )
  await sql.unsafe(`declare to_derive no scroll cursor for select ${values} from ${rows}`)
  const next = () => sql.unsafe<ResourceRecord[]>(`fetch ${batchRows} from to_derive`)
  for (let records = await next(); records.length > 0; records = await next()) {
    const derived = records.map((record) => ({
      [key]: record[key],
      ...Object.fromEntries(
        columns.map(([column, { from, derive }]) => [
          column,
          derive(...from.map((field) => record[field])),
        ]),
      ),
    }))
    await sql.unsafe(
      `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::text::jsonb)`,
      [JSON.stringify(derived)],
    )
    onBatch?.(records.length)
  }
  await sql.unsafe("close to_derive")
  await sql.unsafe(`analyze ${table}`)
  return table
}

/**
 * Corrects the columns that follow from several fields of which a file has only some: the stored record keeps the
 * values of the others.
 */
export async function deriveFromStored(staging: Staging): Promise<void> {
  const { sql, resource, files, staged, table, key } = staging
  const kept = files.flatMap(({ kept_fields = [] }) => kept_fields)
  const columns = Object.entries(resource.derived).filter(
    ([, { from }]) => from.length > 1 && from.some((field) => kept.includes(field)),
  )
  if (columns.length === 0) return
  const derived = await deriveAgain(sql, {
    resource,
    columns,
    expressionOf: stagedValues(staging).of,
    from: `${staged} s join ${table} t on t.${key} = s.${key} where s.verdict = 'accepted'`,
  })
  await sql.unsafe(
    `update ${staged} s set ${columns.map(([name]) => `${name} = d.${name}`)}
     from ${derived} d where d.${key} = s.${key} and s.verdict = 'accepted'`,
  )
}
