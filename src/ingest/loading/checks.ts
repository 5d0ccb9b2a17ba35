/**
 * Checks that need all rows: the same key twice, a record of another source, a row to leave out. They mark
 * the staged rows.
 */
import { fieldNames } from "../../data/resources/resource.ts"
import { arrayLiteral } from "../../system/text/array-literal.ts"
import { countText, type FileFigures, fileAt, rowsRead, unitOf } from "./figures.ts"
import { completeRows, joinRows, otherColumns } from "./joined-rows.ts"
import { joinShapes } from "./shapes.ts"
import { mark, repeatedKeys, type Staging, type Verdict } from "./staging.ts"

/**
 * Returns the staging with the counts of the files.
 * @throws LoadError where too many rows are rejected
 */
export async function checkStaged(staging: Staging): Promise<Staging> {
  await resolveRepeated(staging)
  await leaveOutUnlessStored(staging)
  await rejectOfOtherSources(staging)
  const files = await countVerdicts(staging)
  if (files.some(({ rejected }) => rejected > 0)) await reportRejected(staging)
  staging.rejects.checkAll(rowsRead(files))
  return { ...staging, files }
}

/** Joins the rows of each key, or keeps the first: identical ones are repeated, different ones rejected. */
async function resolveRepeated(staging: Staging): Promise<void> {
  const { sql, files, accepted, key, columns, resource, load } = staging
  const { joinedField } = load.source
  const [repeated] = await sql.unsafe(`${repeatedKeys(staging)} limit 1`)
  if (!repeated) return
  if (joinedField !== undefined) await completeRows(staging, joinedField)
  if (resource.hasShapes) await joinShapes(staging, otherColumns(staging, joinedField, "geometry"))
  if (joinedField !== undefined) await joinRows(staging, joinedField)
  const isEqual = `(${qualified("s", columns)}) is not distinct from (${qualified("f", columns)})`
  const nameOfFirst = "case when f.file = s.file then '' else ($1::text[])[f.file + 1] || ', ' end"
  const later = {
    from: `(select distinct on (${key}) * from ${accepted} a where ${key} in (${repeatedKeys(staging)})
      order by ${key}, file, line) f`,
    condition: `s.${key} = f.${key} and (s.file, s.line) > (f.file, f.line)`,
  }
  await mark(
    staging,
    "rejected",
    {
      ...later,
      condition: `${later.condition} and not (${isEqual})`,
      reason: `format('${key} "%s" is already in %s%s %s, with different values',
        s.${key}, ${nameOfFirst}, ($2::text[])[f.file + 1], f.line)`,
    },
    [arrayLiteral(files.map(({ name }) => name)), arrayLiteral(files.map(unitOf))],
  )
  await mark(staging, "repeated", later)
}

const leaveOutUnlessStored = (staging: Staging): Promise<void> =>
  mark(
    staging,
    "left_out",
    {
      condition: `only_if_stored is not null and not exists (
        select from ${staging.table} t where t.${staging.key} = s.${staging.key} and t.source = $1)`,
      reason: "only_if_stored",
    },
    [staging.source],
  )

const rejectOfOtherSources = (staging: Staging): Promise<void> =>
  mark(
    staging,
    "rejected",
    {
      from: `${staging.table} t`,
      condition: `t.${staging.key} = s.${staging.key} and t.source <> $1`,
      reason: `format('${staging.key} "%s" belongs to the source %s; only that source can change it, '
        'and \`mds sources remove %s\` removes its records', t.${staging.key}, t.source, t.source)`,
    },
    [staging.source],
  )

/**
 * Reports the rejected rows, as many as one more than are allowed. The record of each has the fields of the
 * interface only: the other staged columns mean nothing to people.
 */
async function reportRejected({ sql, staged, resource, files, rejects }: Staging): Promise<void> {
  const rows = await sql.unsafe(
    `select file, line, reason, to_jsonb(s) as row from ${staged} s where verdict = 'rejected'
     order by file, line limit ${rejects.remaining(rowsRead(files)) + 1}`,
  )
  for (const { file, line, reason, row } of rows) {
    const names = fieldNames(resource, "always").filter((name) => name in row)
    const record = Object.fromEntries(names.map((name) => [name, row[name]]))
    rejects.add({ file: fileAt(files, file), line, reason, row: record })
  }
}

/** Returns the figures of the rows that were read, with the counts of those that were staged. */
async function countVerdicts({ sql, staged, files }: Staging): Promise<FileFigures[]> {
  const counts = await sql.unsafe<
    { file: number; verdict: Verdict; reason: string | null; count: number }[]
  >(
    `select file, verdict, case verdict when 'left_out' then reason end as reason, count(*)::integer as count
     from ${staged} group by 1, 2, 3 order by 1, 2, 3`,
  )
  const counted = files.map((file) => ({ ...file, left_out: { ...file.left_out } }))
  for (const { file, verdict, reason, count } of counts) {
    const figures = fileAt(counted, file)
    if (verdict === "left_out") countText(figures.left_out, reason ?? "", count)
    else figures[verdict] += count
  }
  return counted
}

const qualified = (alias: string, columns: readonly string[]) =>
  columns.map((column) => `${alias}.${column}`).join(", ")
