/**
 * Checks that need all rows: the same key twice, a record of another source, a row to leave out. They
 * delete such rows from the temporary table.
 */
import type { Row } from "postgres"
import { sourcesYieldingTo } from "../sources/catalogue.ts"
import { fileAt, locationOf, rowsRead } from "./figures.ts"
import { completeRows, joinRows } from "./joined-rows.ts"
import type { Load } from "./load-options.ts"
import { leaveOutOfHigherSources } from "./other-sources.ts"
import { leaveOut, repeatedKeys, type Staging } from "./staging.ts"
import { resolveStates } from "./state-sources.ts"

/** @param takesOver as of `resolveStates`, whose result it returns */
export async function checkStaged(staging: Staging, load: Load, takesOver: boolean) {
  const { files, rejects } = load
  const { joinedField } = load.source
  if (joinedField !== undefined && (await hasRepeated(staging))) {
    await completeRows(staging, joinedField)
    await rejectTooLong(staging, load, await joinRows(staging, joinedField))
  }
  if (await hasRepeated(staging)) await removeDuplicates(staging, load)
  await leaveOutUnlessStored(staging, load)
  await leaveOutOfHigherSources(staging, load)
  const taken = await resolveStates(staging, load, takesOver)
  await rejectOfOtherSources(staging, load, [
    ...sourcesYieldingTo(load.source.name),
    ...taken.map(({ source }) => source),
  ])
  rejects.checkAll(rowsRead(files))
  await countAccepted(staging, load)
  return taken
}

const hasRepeated = async (staging: Staging): Promise<boolean> =>
  (await staging.sql.unsafe(`${repeatedKeys(staging)} limit 1`)).length > 0

/** @param reasons by key */
async function rejectTooLong(
  staging: Staging,
  load: Load,
  reasons: ReadonlyMap<string, string>,
): Promise<void> {
  if (reasons.size === 0) return
  const { sql, staged, key } = staging
  const keys = [...reasons.keys()]
  load.rejectedKeys.push(...keys)
  const isTooLong = `${key} = any(array[${keys.map((each) => `'${each}'`)}])`
  await reject(
    staging,
    load,
    `select file, line, to_jsonb(s) as row from ${staged} s where ${isTooLong}`,
    ({ row }) => reasons.get(row[key]) ?? "",
  )
  await sql.unsafe(`delete from ${staged} where ${isTooLong}`)
}

/** Keeps the first row of each key. An identical one is counted, a different one rejected. */
async function removeDuplicates(staging: Staging, load: Load): Promise<void> {
  const { files } = load
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
  await reject(
    staging,
    load,
    `select s.file, s.line, to_jsonb(s) as row, first_file, first_line
     from duplicates r join ${staged} s on s.ctid = r.place where conflicts`,
    ({ file, row, first_file, first_line }) => {
      const firstFile = fileAt(files, first_file)
      const first = `${first_file === file ? "" : `${firstFile.name}, `}${locationOf(firstFile, first_line)}`
      return `${key} "${row[key]}" is already in ${first}, with different values`
    },
  )
  const counts = await sql.unsafe(
    "select file, count(*)::integer as count from duplicates where not conflicts group by file",
  )
  for (const { file, count } of counts) fileAt(files, file).repeated += count
  await sql.unsafe(`delete from ${staged} s using duplicates r where s.ctid = r.place`)
}

function leaveOutUnlessStored(staging: Staging, { files }: Load): Promise<void> {
  const { source, staged, table, key } = staging
  return leaveOut(
    staging,
    files,
    `delete from ${staged} s where only_if_stored is not null and not exists (
       select from ${table} t where t.${key} = s.${key} and t.source = $1)
     returning file, only_if_stored as reason`,
    [source],
  )
}

/** @param lower the sources whose records this one takes over */
async function rejectOfOtherSources(
  staging: Staging,
  load: Load,
  lower: readonly string[],
): Promise<void> {
  const { sql, source, staged, table, key } = staging
  const ownerNames = [source, ...lower].map((name) => `'${name}'`)
  const ofOthers = `${staged} s join ${table} t on t.${key} = s.${key} where t.source not in (${ownerNames})`
  const rejected = await reject(
    staging,
    load,
    `select s.file, s.line, to_jsonb(s) as row, t.source as owner from ${ofOthers}`,
    ({ owner, row }) =>
      `${key} "${row[key]}" belongs to the source ${owner}; only that source can change it`,
  )
  if (rejected === 0) return
  await sql.unsafe(`delete from ${staged} where ctid in (select s.ctid from ${ofOthers})`)
}

async function countAccepted({ sql, staged }: Staging, { files }: Load): Promise<void> {
  const counts = await sql.unsafe(
    `select file, count(*)::integer as count from ${staged} group by file`,
  )
  for (const { file, count } of counts) fileAt(files, file).accepted = count
}

/**
 * Rejects the rows of a query, as many as one more than are allowed. The rejected record has the fields of
 * the interface only: the other staged columns mean nothing to people.
 */
async function reject(
  { sql, resource }: Staging,
  { files, rejects }: Load,
  query: string,
  reasonOf: (row: Row) => string,
): Promise<number> {
  const limit = rejects.remaining(rowsRead(files)) + 1
  const rows = await sql.unsafe(`${query} order by file, line limit ${limit}`)
  for (const found of rows) {
    const { file, line, row } = found
    const names = Object.keys(resource.fields).filter((name) => name in row)
    const record = Object.fromEntries(names.map((name) => [name, row[name]]))
    rejects.add({ file: fileAt(files, file), line, reason: reasonOf(found), row: record })
  }
  return rows.length
}

const qualified = (alias: string, columns: readonly string[]) =>
  columns.map((column) => `${alias}.${column}`).join(", ")
