/**
 * The guards against faulty files. Each judges the differences of a load before the load changes a record, and
 * refuses the load unless the operator accepts its finding.
 */
import { largestRecords, namesOf } from "../../data/db/missing-records.ts"
import { columnNameOf, loadedFields, type Resource } from "../../data/resources/resource.ts"
import { countOf, formatCount } from "../../system/text/display.ts"
import { nearestName } from "../../system/text/nearest-name.ts"
import { removesAtOnce } from "./absence.ts"
import { type Compared, isStored } from "./differences.ts"
import { type FileFigures, totalOf } from "./figures.ts"
import { LoadError, refused } from "./load-error.ts"

/** Fewer records are no sign of a faulty file. One of ten may well end. */
const minSuspect = 6

/** The fields that can be empty. */
const emptiableFields = (resource: Resource): string[] => [
  ...loadedFields(resource)
    .filter(([, { shown, nullable }]) => ["always", "asked"].includes(shown) && nullable)
    .map(([name]) => name),
  ...(resource.hasShapes ? ["geometry"] : []),
]

/** @throws LoadError for a name that is not a field of the resource that can be empty */
export function checkAcceptEmpty(resource: Resource, names: readonly string[]): void {
  const fields = emptiableFields(resource)
  const unknown = names.find((name) => !fields.includes(name))
  if (unknown === undefined) return
  const near = nearestName(unknown, fields)
  throw new LoadError(
    `Cannot accept an empty column "${unknown}"${near ? ` (did you mean "${near}"?)` : ""}. ` +
      `The columns of ${resource.name} that can be empty: ${fields.join(", ")}`,
  )
}

/** @throws LoadError with the first finding that is not accepted, in figures */
export async function checkGuards(compared: Compared): Promise<void> {
  for (const guard of [guardMissing, guardEmptied, guardMoved]) await guard(compared)
}

const maxMissingShare = 0.05
/** Of the missing records, in the message. */
const maxNamed = 3
/** Of the missing records: as many new ones show that the files have the records under other ids. */
const minRenamedShare = 0.5

/**
 * Against a truncated download: a complete set that lacks `minSuspect` and more than a twentieth of its source's
 * records is more often half a file than a true one. A record counts once: in the load that lacks it first or,
 * where missing records are removed at once, in the load that would remove it. So records that are already
 * missing do not stop the loads that follow.
 */
async function guardMissing(compared: Compared): Promise<void> {
  const { sql, source, table, resource, load, files, counts } = compared
  const atOnce = removesAtOnce(load)
  const missing = atOnce ? counts.missing : counts.newly
  if (load.acceptShrink || missing < minSuspect) return
  const [{ stored, earlier }] = await sql.unsafe<[Record<"stored" | "earlier", number>]>(
    `select count(*)::integer as stored,
       (select coalesce((counts->>'files')::integer, 0) from sources where name = $1 and resource = $2) as earlier
     from ${table} t where ${isStored(load.source)}`,
    [source, table],
  )
  if (missing <= stored * maxMissingShare) return
  const share = ((100 * missing) / stored).toFixed(1)
  const { deactivatesMissing } = load.source
  const active = deactivatesMissing ? "active " : ""
  const effect = deactivatesMissing ? "deactivated" : "removed"
  const keys = `select key from differences where difference = 'missing'${atOnce ? "" : " and not has_note"}`
  const largest = await largestRecords(sql, resource.name, keys, maxNamed)
  const { added } = counts
  const cure =
    earlier > files.length
      ? `The last load of this source had ${countOf(earlier, "file")}, and this one has ${formatCount(files.length)}: load all ` +
        "of them together, or with --partial. If the records no longer exist, add --accept-shrink"
      : load.source.state && added >= missing * minRenamedShare
        ? (added === totalOf(files, ({ accepted }) => accepted)
            ? "No id in the files is stored: the ids have changed with the layout. To replace the tenements, "
            : `The files have ${formatCount(added)} new ids. If the ids have changed with the layout, `) +
          "add --accept-shrink --remove-missing-now; if they are another part of the source, add --partial"
        : "If a file is truncated or left out, load all files of the source together, or these with --partial; " +
          "if the records no longer exist, add --accept-shrink"
  throw refused(
    `${formatCount(missing)} of the ${formatCount(stored)} ${active}${table} ` +
      `of the source ${source} (${share}%) are missing from the files${atOnce ? ` and would be ${effect}` : ", and were not before"}`,
    `. Among them are ${namesOf(largest)}. ${cure}`,
  )
}

/** Of the known values of a column, among the records that the files have. */
const maxEmptiedShare = 1 / 3

/**
 * Against a column that becomes mostly empty. For days at a time public files have had `--` for every market
 * capitalisation: such files are well-formed, and would erase known values.
 */
async function guardEmptied(compared: Compared): Promise<void> {
  const { sql, source, accepted, table, key, resource, load, files, values } = compared
  const columnOf = (field: string) => columnNameOf(resource, field)
  const fields = emptiableFields(resource).filter(
    (field) => !load.acceptEmpty.includes(field) && !values.isKept(columnOf(field)),
  )
  if (fields.length === 0) return
  const counts = fields.map((field) => {
    const column = columnOf(field)
    const isEmptied = `t.${column} is not null and (${values.of(column)}) is null`
    return `count(*) filter (where ${isEmptied})::integer as ${field}`
  })
  const [emptied] = await sql.unsafe<[Record<string, number>]>(
    `select ${counts}
     from differences d join ${table} t on t.${key} = d.key join ${accepted} s on s.${key} = d.key
     where difference = 'changed'`,
  )
  const suspects = fields.filter((field) => (emptied[field] ?? 0) >= minSuspect)
  if (suspects.length === 0) return
  const [known] = await sql.unsafe<[Record<string, number>]>(
    `select ${suspects.map((field) => `count(t.${columnOf(field)}) filter (where ${values.isIn(columnOf(field))})::integer as ${field}`)}
     from ${table} t join ${accepted} s on s.${key} = t.${key}`,
  )
  const found = suspects
    .map((field) => ({ field, count: emptied[field] ?? 0, of: known[field] ?? 0 }))
    .filter(({ count, of }) => count > of * maxEmptiedShare)
  if (found.length === 0) return
  const figures = found.map(
    ({ field, count, of }) =>
      `${field} would become empty for ${formatCount(count)} of the ${formatCount(of)} ${table} whose value is known ` +
      `(${((100 * count) / of).toFixed(1)}%)`,
  )
  const flags = found.map(({ field }) => `--accept-empty ${field}`)
  throw refused(
    `in the files of the source ${source}, ${figures.join(" and ")}`,
    `${found.map(({ field }) => unmapped(field, files)).join("")}. ` +
      `If the files are faulty, load others; if the values are no longer known, add ${flags.join(" ")}`,
  )
}

/** A value without a mapping is lost too; a register that changes its phrases has many. */
function unmapped(field: string, files: readonly FileFigures[]): string {
  const warnings = files.flatMap(({ warnings }) => Object.entries(warnings))
  const ofField = warnings.filter(([text]) => text.startsWith(`${field} `))
  const [text, count = 0] = ofField.sort(([, a], [, b]) => b - a)[0] ?? []
  return text === undefined ? "" : `, where ${text} (${formatCount(count)})`
}

const maxMovedShare = 1 / 5
const kmPerMicrodegree = 111.2e-6

/** Against another reference system, or another order of coordinates. */
async function guardMoved(compared: Compared): Promise<void> {
  const { sql, source, accepted, load, table, key, values, counts } = compared
  if (load.acceptMoved || counts.reshaped < minSuspect) return
  // Not by the points inside, which may be in another part.
  const shift = `(center(s.bounds) - center(t.bounds)) * point(${kmPerMicrodegree}, 0)`
  const [{ moved, known }] = await sql.unsafe<[Record<"moved" | "known", number>]>(
    `select count(*)::integer as moved,
       (select count(geometry)::integer from ${table} where source = $1) as known
     from differences d join ${table} t on t.${key} = d.key join ${accepted} s on s.${key} = d.key,
       lateral (select ${shift} as shift) difference
     where is_reshaped and ${values.isIn("geometry")}
       and shift[1] ^ 2 + (shift[0] * cos(radians(t.latitude))) ^ 2 > 1`,
    [source],
  )
  if (moved < minSuspect || moved <= known * maxMovedShare) return
  throw refused(
    `in the files of the source ${source}, ${formatCount(moved)} of the ${formatCount(known)} ${table} ` +
      "whose shape is known would move by more than a kilometre",
    ". If the files are faulty, or their reference system is another, load others or name it with --crs; if not, add --accept-moved",
  )
}
