/**
 * The guard against a column that becomes mostly empty. For days at a time public files have had `--` for
 * every market capitalisation: such files are well-formed, and would erase known values.
 */
import type { Resource } from "../../data/resources/resource.ts"
import { formatCount } from "../../system/text/display.ts"
import { nearestName } from "../../system/text/nearest-name.ts"
import type { FileFigures } from "./figures.ts"
import { LoadError, refused } from "./load-error.ts"
import type { StagedValues } from "./staged-values.ts"
import type { Staging } from "./staging.ts"

/** Of the known values of a column, among the records that the files have. */
const maxEmptiedShare = 1 / 3
/** For all guards: fewer records are no sign of a faulty file. One of ten may well end. */
export const minSuspect = 6

/** The fields that can be empty. */
export const emptiableFields = ({ fields, hasShapes }: Resource): string[] => [
  ...Object.entries(fields)
    .filter(([, { shown, loaded, nullable }]) => shown === "always" && loaded && nullable)
    .map(([name]) => name),
  ...(hasShapes ? ["geometry"] : []),
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

/**
 * Judges the records whose keys are in the temporary table `changed`.
 * @throws LoadError that names the columns, with figures
 */
export async function guardAgainstEmptying(
  { sql, source, staged, table, key, resource, load, files }: Staging,
  values: StagedValues,
): Promise<void> {
  const fields = emptiableFields(resource).filter(
    (field) => !load.acceptEmpty.includes(field) && !values.isKept(field),
  )
  if (fields.length === 0) return
  const [counts] = await sql.unsafe<[Record<string, number>]>(
    `select ${fields.map((field) => `count(*) filter (where t.${field} is not null and (${values.of(field)}) is null)::integer as ${field}`)}
     from changed c join ${table} t on t.${key} = c.key join ${staged} s on s.${key} = c.key`,
  )
  const suspects = fields.filter((field) => (counts[field] ?? 0) >= minSuspect)
  if (suspects.length === 0) return
  const [known] = await sql.unsafe<[Record<string, number>]>(
    `select ${suspects.map((field) => `count(t.${field}) filter (where ${values.isIn(field)})::integer as ${field}`)}
     from ${table} t join ${staged} s on s.${key} = t.${key}`,
  )
  const found = suspects
    .map((field) => ({ field, emptied: counts[field] ?? 0, known: known[field] ?? 0 }))
    .filter(({ emptied, known }) => emptied > known * maxEmptiedShare)
  if (found.length === 0) return
  const figures = found.map(
    ({ field, emptied, known }) =>
      `${field} would become empty for ${formatCount(emptied)} of the ${formatCount(known)} ${table} whose value is known ` +
      `(${((100 * emptied) / known).toFixed(1)}%)`,
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
