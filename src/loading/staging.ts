/**
 * The temporary table that a load's records of one resource go into before anything is decided, and
 * the names of its columns. It has the columns of the resource's table that come from a record,
 * with the same types and collations, and the file and line of each row.
 *
 * Rows go in as arrays of text, one for each column, through ordinary statements, whose errors are
 * ordinary too. COPY would save a sixth of the time of reading and staging, but a stream of
 * postgres.js 3.4.9 that fails at its end never settles unless the library is patched.
 */
import { getTableColumns, getTableName } from "drizzle-orm"
import type { PgColumn } from "drizzle-orm/pg-core"
import type { Sql, TransactionSql } from "postgres"
import type { Resource, ResourceRecord } from "../resources/resource.ts"
import { arrayLiteral } from "./array-literal.ts"
import type { Candidate } from "./candidates.ts"

export interface Staging {
  resource: Resource
  /** The resource's table, and the temporary one. */
  table: string
  staged: string
  key: string
  /** All columns that come from a record, in the table's order, the key's among them. */
  columns: readonly string[]
}

interface StagedColumn {
  name: string
  type: string
  from: (record: ResourceRecord) => unknown
}

/** Creates the temporary table, which is dropped on commit, and fills it. */
export async function stage(
  sql: TransactionSql,
  resource: Resource,
  candidates: AsyncIterable<readonly Candidate[]>,
): Promise<Staging> {
  const columns = stagedColumns(resource)
  const names = columns.map(({ name }) => name)
  const table = getTableName(resource.table)
  const staging = { resource, table, staged: `staged_${table}`, key: resource.key, columns: names }
  await sql.unsafe(`
    create temporary table ${staging.staged} on commit drop as
    select 0 as file, 0 as line, null::text as only_if_stored, ${names} from ${table} with no data`)
  await fill(sql, insertInto(staging.staged, columns), columns, candidates)
  // The planner has no statistics of a table just filled.
  await sql.unsafe(`analyze ${staging.staged} (${staging.key})`)
  return staging
}

function stagedColumns({ table, fields, derived }: Resource): StagedColumn[] {
  const columnsByName = new Map(
    Object.values(getTableColumns(table)).map((column) => [column.name, column as PgColumn]),
  )
  const fromFields = Object.entries(fields)
    .filter(([, field]) => field.loaded)
    .map(([name, { column }]) => [column.name, (record: ResourceRecord) => record[name]] as const)
  const fromDerived = Object.entries(derived).map(
    ([name, { from, derive }]) => [name, (record: ResourceRecord) => derive(record[from])] as const,
  )
  return [...fromFields, ...fromDerived].map(([name, from]) => {
    const column = columnsByName.get(name)
    if (!column) throw new Error(`${getTableName(table)} has no column ${name}`)
    return { name, type: column.getSQLType().replace(/ collate .*/i, ""), from }
  })
}

const provenance: readonly [name: string, type: string, from: (c: Candidate) => unknown][] = [
  ["file", "integer", ({ file }) => file],
  ["line", "integer", ({ line }) => line],
  ["only_if_stored", "text", ({ onlyIfStored }) => onlyIfStored],
]

function insertInto(staged: string, columns: readonly StagedColumn[]): string {
  const all = [...provenance.map(([name, type]) => ({ name, type })), ...columns]
  const parameters = all.map((_, index) => `$${index + 1}::text[]`)
  const values = all.map(({ name, type }) => `"${name}"::${type}`)
  const names = all.map(({ name }) => `"${name}"`)
  return `insert into ${staged} (${names}) select ${values} from unnest(${parameters}) as row (${names})`
}

/** The next batch is prepared while the previous one is being written. */
async function fill(
  sql: Sql | TransactionSql,
  statement: string,
  columns: readonly StagedColumn[],
  candidates: AsyncIterable<readonly Candidate[]>,
): Promise<void> {
  let written: Promise<unknown> = Promise.resolve()
  for await (const batch of candidates) {
    if (batch.length === 0) continue
    const parameters = [
      ...provenance.map(([, , from]) => arrayLiteral(batch.map(from))),
      ...columns.map(({ from }) => arrayLiteral(batch.map(({ record }) => from(record)))),
    ]
    await written
    written = sql.unsafe(statement, parameters, { prepare: true }).execute()
    // It is awaited one batch later; until then its rejection must not count as unhandled.
    written.catch(() => {})
  }
  await written
}
