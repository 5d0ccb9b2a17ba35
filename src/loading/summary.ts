/** What a load did, as values and as text. */
import type { MissingRecord } from "../db/missing-records.ts"
import { resourceNames } from "../resources/resource.ts"
import { printableLine } from "../text/printable-text.ts"
import type { ChangeFigures, FileFigures, LinkFigures, MissingFigures } from "./figures.ts"
import { fileLines } from "./file-lines.ts"
import { formatCount } from "./progress.ts"
import { type Confirmed, rowsChanged } from "./publish.ts"
import { type RejectsWritten, rejectsText } from "./rejects.ts"

export interface LoadSummary extends Confirmed, RejectsWritten {
  source: string
  dryRun: boolean
  seconds: number
}

/** Several lines, none of which a value begins, without a line break at the end. */
export function formatSummary(summary: LoadSummary): string {
  const { source, files, resources, missing, links } = summary
  const rejects = rejectsText(summary)
  return [
    ...fileLines(files),
    ...Object.entries(resources).map(([name, figures]) => `${name}: ${changeText(figures)}`),
    ...Object.values(summary.kept).flatMap((kept) => keptLines(files, kept)),
    ...resourceNames.flatMap((name) =>
      missing[name] ? missingLines(source, missing[name], summary.largestMissing[name] ?? []) : [],
    ),
    ...(links ? [linkText(links), holderText(links), ...nameLines(links)] : []),
    ...(rejects === undefined ? [] : [rejects]),
    outcome(summary),
  ]
    .map(printableLine)
    .join("\n")
}

function changeText({ added, changed, removed, deactivated }: ChangeFigures): string {
  const counts = [
    `${formatCount(added)} added`,
    `${formatCount(changed)} changed`,
    `${formatCount(removed)} removed`,
    ...(deactivated > 0 ? [`${formatCount(deactivated)} deactivated`] : []),
  ]
  return counts.join(", ")
}

/** Fields that all or some of the files say nothing of, and of which records keep values. */
function keptLines(
  files: readonly FileFigures[],
  kept: Readonly<Record<string, number>>,
): string[] {
  const known = Object.entries(kept).filter(([, records]) => records > 0)
  return known.map(([name, records]) => {
    const without = files.filter(({ kept_fields }) => kept_fields?.includes(name)).length
    const which =
      without === files.length
        ? "the files lack a column for it"
        : `${formatCount(without)} of the ${formatCount(files.length)} files lack a column for it`
    return `  ${name} stays as it is in ${formatCount(records)} records: ${which}`
  })
}

function missingLines(
  source: string,
  { missing, newly, returned }: MissingFigures,
  largest: readonly MissingRecord[],
): string[] {
  const names = largest.map(({ key, label }) => `${key} (${label})`)
  const more = missing > largest.length ? ", …" : ""
  return [
    ...(missing > 0
      ? [
          `  ${formatCount(missing)} missing from the files, ${formatCount(newly)} of them newly; what is missing stays until further loads confirm it: ` +
            `${names.join("; ")}${more}`,
          `  list them with \`mds sources show ${source}\``,
        ]
      : []),
    ...(returned > 0 ? [`  ${formatCount(returned)} no longer missing`] : []),
  ]
}

function linkText(links: LinkFigures): string {
  return (
    `links: ${formatCount(links.linked)} tenements are linked to a company, ` +
    `${formatCount(links.directly)} directly, ${formatCount(links.through_subsidiaries)} through subsidiaries; ` +
    `${formatCount(links.unlinked)} have a holder but no link; ` +
    `the links of ${formatCount(links.relinked)} tenements and the totals of ${formatCount(links.retotalled)} companies changed`
  )
}

const holderText = ({ unlinked_holders }: LinkFigures) =>
  `holders: ${formatCount(unlinked_holders)} are not linked to a company; list them with \`mds holders unlinked\``

const nameLines = ({ undated_names = 0 }: LinkFigures): string[] =>
  undated_names === 0
    ? []
    : [
        `names: ${formatCount(undated_names)} changed between files of which one is of an unknown time, ` +
          "so the former names do not link; say when files were true with --observed",
      ]

function outcome({ dryRun, release, resources, seconds }: LoadSummary): string {
  const took = `${seconds.toFixed(1)} s`
  if (release !== null) return `Published as release ${release} in ${took}.`
  const differs = Object.values(resources).some((figures) => rowsChanged(figures) > 0)
  if (!differs) return `No changes: nothing was published (${took}).`
  return dryRun ? `Dry run: nothing was published (${took}).` : `Nothing was published (${took}).`
}
