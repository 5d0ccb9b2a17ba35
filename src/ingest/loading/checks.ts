/**
 * Checks that need all rows: the same key twice, a record of another source, a row to leave out. They
 * delete such rows from the temporary table.
 */

import type { Row } from "postgres"
import { fieldNames } from "../../data/resources/resource.ts"
import { arrayLiteral } from "../../system/text/array-literal.ts"
import { fileAt, locationOf, type RowCount, rowsRead, withCounts } from "./figures.ts"
import { completeRows, joinRows, otherColumns } from "./joined-rows.ts"
import { joinShapes } from "./shapes.ts"
import { leaveOut, repeatedKeys, type Staging } from "./staging.ts"

/** Returns the staging with the counts of the files, and all rejected keys. */
export async function checkStaged(staging: Staging): Promise<Staging> {
  const { files, rejects, rejectedKeys } = staging
  const repeated = await resolveRepeated(staging)
  const unstored = await leaveOutUnlessStored(staging)
  const ofOthers = await rejectOfOtherSources(staging)
  rejects.checkAll(rowsRead(files))
  const accepted = await countAccepted(staging)
  return {
    ...staging,
    files: withCounts(files, [repeated.counts, unstored, ofOthers, accepted].flat()),
    rejectedKeys: [...rejectedKeys, ...repeated.tooLong],
  }
}

/** Joins the rows of each key, or keeps one. Also returns the keys whose rows cannot be joined, as of `joinRows`. */
async function resolveRepeated(
  staging: Staging,
): Promise<{ counts: RowCount[]; tooLong: readonly string[] }> {
  const { sql, staged, key, resource, load } = staging
  const { joinedField } = load.source
  const [repeated] = await sql.unsafe(`${repeatedKeys(staging)} limit 1`)
  if (!repeated) return { counts: [], tooLong: [] }
  if (joinedField !== undefined) await completeRows(staging, joinedField)
  if (resource.hasShapes) await joinShapes(staging, otherColumns(staging, joinedField, "geometry"))
  const reasons = joinedField === undefined ? new Map() : await joinRows(staging, joinedField)
  const tooLong = [...reasons.keys()]
  const rejected = await reject(
    staging,
    `delete from ${staged} s where ${key} = any($1::text[]) returning file, line, to_jsonb(s) as row`,
    ({ row }) => reasons.get(row[key]) ?? "",
    [arrayLiteral(tooLong)],
  )
  return { counts: [...rejected, ...(await removeDuplicates(staging))], tooLong }
}

/** Keeps the first row of each key. An identical one is counted, a different one rejected. */
async function removeDuplicates(staging: Staging): Promise<RowCount[]> {
  const { files, staged, key, columns } = staging
  const deletion = `delete from ${staged} s using (
      select distinct on (${key}) * from ${staged} where ${key} in (${repeatedKeys(staging)})
      order by ${key}, file, line
    ) f where s.${key} = f.${key} and (s.file, s.line) > (f.file, f.line)`
  const isEqual = `(${qualified("s", columns)}) is not distinct from (${qualified("f", columns)})`
  const repeated = await leaveOut(
    staging,
    `${deletion} and ${isEqual} returning s.file, null as reason`,
    [],
    "repeated",
  )
  const rejected = await reject(
    staging,
    `${deletion} returning s.file, s.line, to_jsonb(s) as row, f.file as first_file, f.line as first_line`,
    ({ file, row, first_file, first_line }) => {
      const firstFile = fileAt(files, first_file)
      const first = `${first_file === file ? "" : `${firstFile.name}, `}${locationOf(firstFile, first_line)}`
      return `${key} "${row[key]}" is already in ${first}, with different values`
    },
  )
  return [...repeated, ...rejected]
}

function leaveOutUnlessStored(staging: Staging): Promise<RowCount[]> {
  const { source, staged, table, key } = staging
  return leaveOut(
    staging,
    `delete from ${staged} s where only_if_stored is not null and not exists (
       select from ${table} t where t.${key} = s.${key} and t.source = $1)
     returning file, only_if_stored as reason`,
    [source],
  )
}

function rejectOfOtherSources(staging: Staging): Promise<RowCount[]> {
  const { source, staged, table, key } = staging
  return reject(
    staging,
    `delete from ${staged} s using ${table} t where t.${key} = s.${key} and t.source <> $1
     returning s.file, s.line, to_jsonb(s) as row, t.source as owner`,
    ({ owner, row }) =>
      `${key} "${row[key]}" belongs to the source ${owner}; only that source can change it, ` +
      `and \`mds sources remove ${owner}\` removes its records`,
    [source],
  )
}

const countAccepted = ({ sql, staged }: Staging) =>
  sql.unsafe<RowCount[]>(
    `select file, 'accepted' as outcome, count(*)::integer as count from ${staged} group by file`,
  )

/**
 * Rejects the rows of a deletion, as many as one more than are allowed. The rejected record has the fields of
 * the interface only: the other staged columns mean nothing to people.
 * @param deletion a DELETE of staged rows that returns the `file`, the `line` and all columns of each as `row`
 */
async function reject(
  { sql, resource, files, rejects }: Staging,
  deletion: string,
  reasonOf: (row: Row) => string,
  values: string[] = [],
): Promise<RowCount[]> {
  const limit = rejects.remaining(rowsRead(files)) + 1
  const rows = await sql.unsafe(
    `with rejected as (${deletion}) select * from rejected order by file, line limit ${limit}`,
    values,
  )
  for (const found of rows) {
    const { file, line, row } = found
    const names = fieldNames(resource, "always").filter((name) => name in row)
    const record = Object.fromEntries(names.map((name) => [name, row[name]]))
    rejects.add({ file: fileAt(files, file), line, reason: reasonOf(found), row: record })
  }
  return rows.map(({ file }) => ({ file, outcome: "rejected", count: 1 }))
}

const qualified = (alias: string, columns: readonly string[]) =>
  columns.map((column) => `${alias}.${column}`).join(", ")
