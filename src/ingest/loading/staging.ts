/**
 * The temporary table of a load's records. It has the columns of the resource's table that come from a record,
 * with the same types and collations, and the file, the line and the verdict of each row. The checks mark
 * rows and delete none, so that a row without a record tells why.
 *
 * COPY fills it, whose streams rely on the patch of postgres.js.
 */
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { TransactionSql } from "postgres"
import {
  loadedFields,
  type Resource,
  type ResourceRecord,
  type Value,
} from "../../data/resources/resource.ts"
import { arrayLiteral } from "../../system/text/array-literal.ts"
import { memoized } from "../../system/text/memoized.ts"
import type { Source } from "../sources/source.ts"
import type { FileFigures } from "./figures.ts"
import type { Load } from "./load-options.ts"
import type { Rejects } from "./rejects.ts"
import { placeColumns, type RowShape, shapeColumns } from "./staged-shape.ts"

/** A validated record with its file and line. */
export interface Candidate {
  /** Index into the load's files. */
  file: number
  line: number
  record: ResourceRecord
  /** The reason to leave it out unless its source has already loaded a record of that key. */
  onlyIfStored: string | null
  /** As of `RowShape`. */
  shape: RowShape["staged"]
}

/** The outcome of the checks for a row; `repeated` for an identical row of the same key. */
export type Verdict = "accepted" | "repeated" | "left_out" | "rejected"

/** The staged records with their files and their target: the input of each step of a load. */
export interface Staging extends Awaited<ReturnType<typeof stage>> {
  load: Load
  /** The number of the release that is published if a record changes. */
  release: number
  files: readonly FileFigures[]
  rejects: Rejects
  /** The keys of rejected rows that are not staged: stored records of these keys are not missing. */
  rejectedKeys: readonly string[]
}

interface StagedColumn {
  name: string
  /** The value of a candidate, as COPY takes it. */
  cell: (candidate: Candidate) => string
}

/** Creates the temporary table, which the commit drops, and fills it. @param sql the load's transaction */
export async function stage(
  sql: TransactionSql,
  { name: source, resource }: Source,
  candidates: AsyncIterable<readonly Candidate[]>,
) {
  const columns = stagedColumns(resource)
  const ofShapes = resource.hasShapes ? shapeCells : []
  const names = columns.map(({ name }) => name)
  const table = resource.name
  const staged = `staged_${table}`
  await sql.unsafe(`
    create temporary table ${staged} on commit drop as
    select 0 as file, 0 as line, null::text as only_if_stored, '' as verdict, '' as reason, ${names}
      ${resource.hasShapes ? `, geometry, ${placeColumns(resource)}, '' as coordinates, true as keeps_shape` : ""}
    from ${table} with no data`)
  await sql.unsafe(`alter table ${staged} alter verdict set default 'accepted'`)
  // Compressing large shapes would take longer than all else.
  if (resource.hasShapes)
    await sql.unsafe(`alter table ${staged} alter coordinates set storage external`)
  await fill(sql, staged, [...provenance, ...columns, ...ofShapes], candidates)
  // The planner has no statistics of a new table.
  await sql.unsafe(`analyze ${staged} (${resource.key}, verdict)`)
  return {
    sql,
    source,
    resource,
    table,
    staged,
    /** The rows of the temporary table that are accepted so far, as a query in brackets. */
    accepted: `(select * from ${staged} where verdict = 'accepted')`,
    key: resource.key,
    /** All columns that come from a record, in the table's order, the key's among them. */
    columns: [...names, ...(resource.hasShapes ? ["geometry"] : [])],
  }
}

/** A query of the keys that several accepted rows have. */
export const repeatedKeys = ({ accepted, key }: Staging): string =>
  `select ${key} from ${accepted} s group by ${key} having count(*) > 1`

/**
 * Gives a verdict to the accepted rows that meet a condition.
 * @param condition on the staged row `s`, and on the rows of `from`
 * @param reason an expression over the same rows
 */
export async function mark(
  { sql, staged }: Staging,
  verdict: Verdict,
  { from, condition, reason = "null" }: { from?: string; condition: string; reason?: string },
  values: string[] = [],
): Promise<void> {
  await sql.unsafe(
    `update ${staged} s set verdict = '${verdict}', reason = ${reason}
     ${from === undefined ? "" : `from ${from}`} where s.verdict = 'accepted' and (${condition})`,
    values,
  )
}

const provenance: readonly StagedColumn[] = [
  { name: "file", cell: ({ file }) => copyCell(file) },
  { name: "line", cell: ({ line }) => copyCell(line) },
  { name: "only_if_stored", cell: ({ onlyIfStored }) => copyCell(onlyIfStored) },
]

const shapeCells: readonly StagedColumn[] = [
  { name: "keeps_shape", cell: ({ shape }) => copyCell(shape === undefined) },
  ...shapeColumns.map((name) => ({
    name,
    cell: ({ shape }: Candidate) => copyCell(shape?.[name]),
  })),
]

function stagedColumns(resource: Resource): StagedColumn[] {
  const fromFields = loadedFields(resource).map(([name, { column }]): StagedColumn => {
    return { name: column.name, cell: ({ record }) => copyCell(record[name]) }
  })
  const fromDerived = Object.entries(resource.derived).map(
    ([name, { from, derive }]): StagedColumn => {
      const [only = "", ...others] = from
      // Several values together repeat too rarely.
      if (others.length > 0)
        return { name, cell: ({ record }) => copyCell(derive(...from.map((of) => record[of]))) }
      const cellOf = memoized((value: Value | undefined) => copyCell(derive(value)))
      return { name, cell: ({ record }) => cellOf(record[only]) }
    },
  )
  return [...fromFields, ...fromDerived]
}

/** Prepares candidates while earlier ones are being written. */
async function fill(
  sql: TransactionSql,
  staged: string,
  columns: readonly StagedColumn[],
  candidates: AsyncIterable<readonly Candidate[]>,
): Promise<void> {
  const names = columns.map(({ name }) => `"${name}"`)
  async function* lines() {
    for await (const batch of candidates) {
      let text = ""
      for (const candidate of batch) {
        text += `${columns.map(({ cell }) => cell(candidate)).join("\t")}\n`
      }
      if (text !== "") yield text
    }
  }
  const copy = await sql.unsafe(`copy ${staged} (${names}) from stdin`).writable()
  await pipeline(Readable.from(lines()), copy)
}

/**
 * A value in the text format of COPY:
 * https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS
 */
function copyCell(value: unknown): string {
  if (value === null || value === undefined) return "\\N"
  if (typeof value === "number" || typeof value === "boolean") return `${value}`
  const text = Array.isArray(value) ? arrayLiteral(value) : String(value)
  return special.test(text) ? text.replace(specials, (character) => escapes[character] ?? "") : text
}

const special = /[\\\t\n\r]/
const specials = /[\\\t\n\r]/g

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
}
