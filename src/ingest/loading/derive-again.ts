/** Computes derived columns again, by the functions that loads use. */
import type { TransactionSql } from "postgres"
import type { Derived, Resource, ResourceRecord } from "../../data/resources/resource.ts"
import type { Staging } from "./staging.ts"

const batchRows = 5_000

interface Rows {
  resource: Resource
  /** The columns to compute. */
  columns: readonly (readonly [name: string, derived: Derived])[]
  /** A query of the key and the fields that these columns follow from. */
  query: string
  onBatch?: (rows: number) => void
}

/**
 * Reads the rows in batches, and stores the computed columns of each in a temporary table by the key, which the
 * commit drops. Returns its name.
 */
export async function deriveAgain(
  sql: TransactionSql,
  { resource: { name, key }, columns, query, onBatch }: Rows,
): Promise<string> {
  const table = `derived_${name}`
  const names = columns.map(([column]) => column)
  await sql.unsafe(
    `create temporary table ${table} on commit drop as select ${key}, ${names} from ${name} with no data`,
  )
  await sql.unsafe(`declare to_derive no scroll cursor for ${query}`)
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
  const isKept = (field: string, { kept_fields }: Staging["files"][number]) =>
    kept_fields?.includes(field) === true
  const columns = Object.entries(resource.derived).filter(([, { from }]) =>
    files.some(
      (file) =>
        from.some((field) => isKept(field, file)) && !from.every((field) => isKept(field, file)),
    ),
  )
  if (columns.length === 0) return
  const fields = [...new Set(columns.flatMap(([, { from }]) => from))]
  const values = fields
    .filter((field) => field !== key)
    .map((field) => {
      const without = files.flatMap((file, index) => (isKept(field, file) ? [index] : []))
      return without.length === 0
        ? `s.${field}`
        : `case when s.file in (${without}) then t.${field} else s.${field} end as ${field}`
    })
  const derived = await deriveAgain(sql, {
    resource,
    columns,
    query: `select ${[`s.${key}`, ...values]} from ${staged} s join ${table} t on t.${key} = s.${key}
      where s.verdict = 'accepted'`,
  })
  await sql.unsafe(
    `update ${staged} s set ${columns.map(([name]) => `${name} = d.${name}`)}
     from ${derived} d where d.${key} = s.${key} and s.verdict = 'accepted'`,
  )
}
