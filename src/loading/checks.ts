/**
 * Checks that need all rows: the same key twice, a record of another source, a row to leave out. They
 * delete such rows from the temporary table.
 */
import type { Row } from "postgres"
import { sourcesYieldingTo } from "../sources/catalogue.ts"
import type { Source } from "../sources/source.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import {
  type FileFigures,
  fileAt,
  locationOf,
  type RowCount,
  rowsRead,
  withCounts,
} from "./figures.ts"
import { completeRows, joinRows, otherColumns } from "./joined-rows.ts"
import type { Load } from "./load-options.ts"
import type { FilesRead } from "./read-files.ts"
import type { Rejects } from "./rejects.ts"
import { joinShapes } from "./shapes.ts"
import { leaveOut, repeatedKeys, type Staging } from "./staging.ts"
import { resolveStates, type StateOfSource } from "./state-sources.ts"

export interface Checked extends Omit<FilesRead, "staging"> {
  /** As of `resolveStates`. */
  taken: readonly StateOfSource[]
}

/** The files, and the sink of rows that a check rejects. */
interface Context {
  staging: Staging
  files: readonly FileFigures[]
  rejects: Rejects
}

/** @param takesOver as of `resolveStates` */
export async function checkStaged(
  load: Load,
  { staging, files, rejectedKeys }: FilesRead,
  takesOver: boolean,
  rejects: Rejects,
): Promise<Checked> {
  const { source } = load
  const context = { staging, files, rejects }
  const tooLong = await joinRowsOf(context, source.joinedField)
  const rejected = await rejectTooLong(context, tooLong)
  const duplicates = await removeDuplicates(context)
  const unstored = await leaveOutUnlessStored(staging)
  const ofHigher = await leaveOutOfHigherSources(staging, source)
  const { leftOut, taken } = await resolveStates(staging, load, takesOver)
  const lower = [...sourcesYieldingTo(source.name), ...taken.map((state) => state.source)]
  const ofOthers = await rejectOfOtherSources(context, lower)
  rejects.checkAll(rowsRead(files))
  const accepted = await countAccepted(staging)
  const counts = [rejected, duplicates, unstored, ofHigher, leftOut, ofOthers, accepted].flat()
  return {
    files: withCounts(files, counts),
    rejectedKeys: [...rejectedKeys, ...tooLong.keys()],
    taken,
  }
}

/** Returns the keys whose rows cannot be joined, as of `joinRows`. */
async function joinRowsOf({ staging, files }: Context, field: string | undefined) {
  const none = new Map<string, string>()
  if (!(await hasRepeated(staging))) return none
  if (field !== undefined) await completeRows(staging, field)
  if (staging.resource.hasShapes)
    await joinShapes(staging, otherColumns(staging, field, "geometry"), files)
  return field === undefined ? none : joinRows(staging, field)
}

const hasRepeated = async (staging: Staging): Promise<boolean> =>
  (await staging.sql.unsafe(`${repeatedKeys(staging)} limit 1`)).length > 0

/** @param reasons by key */
async function rejectTooLong(
  context: Context,
  reasons: ReadonlyMap<string, string>,
): Promise<RowCount[]> {
  if (reasons.size === 0) return []
  const { sql, staged, key } = context.staging
  const keys = arrayLiteral([...reasons.keys()])
  const ofKeys = `from ${staged} s where ${key} = any($1::text[])`
  const counts = await reject(
    context,
    `select file, line, to_jsonb(s) as row ${ofKeys}`,
    ({ row }) => reasons.get(row[key]) ?? "",
    [keys],
  )
  await sql.unsafe(`delete ${ofKeys}`, [keys])
  return counts
}

/** Keeps the first row of each key. An identical one is counted, a different one rejected. */
async function removeDuplicates(context: Context): Promise<RowCount[]> {
  const { files, staging } = context
  if (!(await hasRepeated(staging))) return []
  const { sql, staged, key, columns } = staging
  await sql.unsafe(`
    create temporary table duplicates on commit drop as
    with ranked as (
      select ctid as place, s.*, row_number() over (partition by ${key} order by file, line) as nth
      from ${staged} s where ${key} in (${repeatedKeys(staging)})
    )
    select s.place, s.file, s.line, f.file as first_file, f.line as first_line,
      (${qualified("s", columns)}) is distinct from (${qualified("f", columns)}) as conflicts
    from ranked s join ranked f on f.${key} = s.${key} and f.nth = 1
    where s.nth > 1`)
  const rejected = await reject(
    context,
    `select s.file, s.line, to_jsonb(s) as row, first_file, first_line
     from duplicates r join ${staged} s on s.ctid = r.place where conflicts`,
    ({ file, row, first_file, first_line }) => {
      const firstFile = fileAt(files, first_file)
      const first = `${first_file === file ? "" : `${firstFile.name}, `}${locationOf(firstFile, first_line)}`
      return `${key} "${row[key]}" is already in ${first}, with different values`
    },
  )
  const repeated = await sql.unsafe<RowCount[]>(
    `select file, 'repeated' as outcome, count(*)::integer as count
     from duplicates where not conflicts group by file`,
  )
  await sql.unsafe(`delete from ${staged} s using duplicates r where s.ctid = r.place`)
  return [...rejected, ...repeated]
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

/** Leaves out rows of records that sources in `yieldsTo` own, and new records that the source may not add. */
async function leaveOutOfHigherSources(
  staging: Staging,
  { yieldsTo: higher }: Source,
): Promise<RowCount[]> {
  const { staged, table, key } = staging
  if (!higher) return []
  return leaveOut(
    staging,
    `delete from ${staged} s using (
       select s.ctid as place, t.source as owner
       from ${staged} s left join ${table} t on t.${key} = s.${key}
     ) known
     where known.place = s.ctid and (known.owner = any($1::text[]) or
       known.owner is null and not $2::boolean
         and exists (select from ${table} t where t.source = any($1::text[])))
     returning s.file, coalesce('already loaded from ' || known.owner, $3) as reason`,
    [arrayLiteral(higher.sources), higher.mayAdd, `not in ${higher.sources.join(" or ")}`],
  )
}

/** @param lower the sources whose records this one takes over */
async function rejectOfOtherSources(
  context: Context,
  lower: readonly string[],
): Promise<RowCount[]> {
  const { sql, source, staged, table, key } = context.staging
  const owners = arrayLiteral([source, ...lower])
  const ofOthers = `${staged} s join ${table} t on t.${key} = s.${key} where t.source <> all($1::text[])`
  const rejected = await reject(
    context,
    `select s.file, s.line, to_jsonb(s) as row, t.source as owner from ${ofOthers}`,
    ({ owner, row }) =>
      `${key} "${row[key]}" belongs to the source ${owner}; only that source can change it`,
    [owners],
  )
  if (rejected.length > 0) {
    await sql.unsafe(`delete from ${staged} where ctid in (select s.ctid from ${ofOthers})`, [
      owners,
    ])
  }
  return rejected
}

const countAccepted = ({ sql, staged }: Staging) =>
  sql.unsafe<RowCount[]>(
    `select file, 'accepted' as outcome, count(*)::integer as count from ${staged} group by file`,
  )

/**
 * Rejects the rows of a query, as many as one more than are allowed. The rejected record has the fields of
 * the interface only: the other staged columns mean nothing to people.
 */
async function reject(
  { staging, files, rejects }: Context,
  query: string,
  reasonOf: (row: Row) => string,
  values: string[] = [],
): Promise<RowCount[]> {
  const { sql, resource } = staging
  const limit = rejects.remaining(rowsRead(files)) + 1
  const rows = await sql.unsafe(`${query} order by file, line limit ${limit}`, values)
  for (const found of rows) {
    const { file, line, row } = found
    const names = Object.keys(resource.fields).filter((name) => name in row)
    const record = Object.fromEntries(names.map((name) => [name, row[name]]))
    rejects.add({ file: fileAt(files, file), line, reason: reasonOf(found), row: record })
  }
  return rows.map(({ file }) => ({ file, outcome: "rejected", count: 1 }))
}

const qualified = (alias: string, columns: readonly string[]) =>
  columns.map((column) => `${alias}.${column}`).join(", ")
