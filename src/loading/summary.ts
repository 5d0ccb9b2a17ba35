/** The outcome of a load, as values and as text. */
import type { MissingRecord } from "../db/missing-records.ts"
import { resourceNames } from "../resources/resource.ts"
import { formatCount } from "../text/display.ts"
import { printableLine } from "../text/printable-text.ts"
import {
  type ChangeFigures,
  type FileFigures,
  type LinkFigures,
  type MissingFigures,
  rowsChanged,
  totalOf,
} from "./figures.ts"
import { fileLines } from "./file-lines.ts"
import type { Confirmed } from "./publish.ts"
import { type RejectsWritten, rejectsText } from "./rejects.ts"

export interface LoadSummary extends Confirmed, RejectsWritten {
  source: string
  dryRun: boolean
  seconds: number
}

/** Lines without a line break at the end. No line begins with text from a file. */
export function formatSummary(summary: LoadSummary): string {
  const { source, files, resources, missing, links } = summary
  const rejects = rejectsText(summary)
  return [
    ...fileLines(files),
    ...Object.entries(resources).map(
      ([name, figures]) =>
        `${name}: ${changeText(
          figures,
          totalOf(files, ({ accepted }) => accepted),
        )}`,
    ),
    ...Object.values(summary.kept).flatMap((kept) => keptLines(files, kept)),
    ...resourceNames.flatMap((name) =>
      missing[name] ? missingLines(source, missing[name], summary.largestMissing[name] ?? []) : [],
    ),
    ...(links ? linkLines(links) : []),
    ...(rejects === undefined ? [] : [rejects]),
    outcome(summary),
  ]
    .map(printableLine)
    .join("\n")
}

/** @param accepted rows that were added, changed or equal to their records */
function changeText(
  { added, changed, removed, deactivated }: ChangeFigures,
  accepted: number,
): string {
  return (
    `${formatCount(accepted)} accepted = ${formatCount(added)} added + ${formatCount(changed)} changed + ` +
    `${formatCount(accepted - added - changed)} unchanged; ${formatCount(removed)} removed` +
    (deactivated > 0 ? `, ${formatCount(deactivated)} deactivated` : "")
  )
}

/** Fields without a column in some files, of which records keep their values. */
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
    return `  ${name} keeps its value in ${formatCount(records)} records: ${which}`
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
          `  stored records that the files lack: ${formatCount(missing)}, for the first time: ${formatCount(newly)}; ` +
            `${names.join("; ")}${more}`,
          `  they stay until further loads confirm that they are gone; list them with \`mds sources show ${source}\``,
        ]
      : []),
    ...(returned > 0 ? [`  records that are no longer missing: ${formatCount(returned)}`] : []),
  ]
}

function linkLines(links: LinkFigures): string[] {
  const { linked, directly, through_subsidiaries, unlinked, undated_names = 0 } = links
  const tenements = totalOf(Object.values(links.by_state), (state) => state.tenements)
  if (tenements === 0) return []
  return [
    `links of all sources: ${formatCount(tenements)} tenements = ${formatCount(linked)} linked to a company + ` +
      `${formatCount(unlinked)} with unlinked holders + ${formatCount(tenements - linked - unlinked)} without a holder`,
    `  linked by a company's name alone: ${formatCount(linked - through_subsidiaries)}, by a subsidiary's name alone: ` +
      `${formatCount(linked - directly)}, by both: ${formatCount(directly + through_subsidiaries - linked)}`,
    `  this load changed the companies of ${formatCount(links.relinked)} tenements of earlier loads and the number of tenements of ` +
      `${formatCount(links.retotalled)} companies`,
    `  unlinked holders: ${formatCount(links.unlinked_holders)}; list them with \`mds holders unlinked\``,
    ...(undated_names === 0
      ? []
      : [
          `  former names that do not link, because the time of their files is unknown: ${formatCount(undated_names)}; give it with --observed`,
        ]),
  ]
}

function outcome({ dryRun, release, resources, missing, seconds }: LoadSummary): string {
  const took = `${seconds.toFixed(1)} s`
  if (release !== null) return `Published as release ${release} in ${took}.`
  const differs = Object.values(resources).some((figures) => rowsChanged(figures) > 0)
  const newly = dryRun ? 0 : totalOf(Object.values(missing), (figures) => figures.newly)
  const recorded = newly > 0 ? `, but ${formatCount(newly)} records are newly missing` : ""
  if (!differs) return `No changes: nothing was published${recorded} (${took}).`
  return dryRun ? `Dry run: nothing was published (${took}).` : `Nothing was published (${took}).`
}
