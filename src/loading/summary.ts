/** What a load did, as values and as text. */
import type { ResourceName } from "../resources/resource.ts"
import type { ChangeFigures, FileFigures, LinkFigures } from "./figures.ts"
import { formatCount } from "./progress.ts"
import type { UnlinkedFile } from "./unlinked.ts"

export interface LoadSummary {
  source: string
  dryRun: boolean
  /** Null where nothing was published: nothing differed, or it was a dry run. */
  release: number | null
  files: FileFigures[]
  resources: Partial<Record<ResourceName, ChangeFigures>>
  /** Null where the load changed nothing that links depend on. */
  links: LinkFigures | null
  /**
   * How many serving processes did not confirm the release in time; undefined where that could not be
   * determined.
   */
  unconfirmed: number | undefined
  /** The file of unlinked holders; null where none was asked for, or it could not be written. */
  unlinked: UnlinkedFile | null
  rejectsFile: string | null
  seconds: number
}

/** Several lines, without a line break at the end. */
export function formatSummary(summary: LoadSummary): string {
  const { files, resources, links, unlinked, rejectsFile } = summary
  return [
    ...files.flatMap(fileLines),
    ...Object.entries(resources).map(([name, figures]) => `${name}: ${changeText(figures)}`),
    ...(links ? [linkText(links), holderText(links)] : []),
    ...(unlinked ? [unlinkedText(unlinked)] : []),
    ...(rejectsFile ? [`Rejected rows are in ${rejectsFile}`] : []),
    outcome(summary),
  ].join("\n")
}

function fileLines({
  name,
  read,
  unreadable,
  accepted,
  rejected,
  repeated,
  left_out,
  warnings,
}: FileFigures) {
  const counts = [
    `${formatCount(read)} rows read`,
    `${formatCount(accepted)} accepted`,
    `${formatCount(rejected)} rejected`,
    ...(repeated > 0 ? [`${formatCount(repeated)} repeated`] : []),
    ...Object.entries(left_out).map(
      ([reason, count]) => `${formatCount(count)} left out (${reason})`,
    ),
  ]
  return [
    `${name}: ${counts.join(", ")}`,
    ...(unreadable > 0
      ? [`  ${formatCount(unreadable)} rows could not be parsed, so no record counts as missing`]
      : []),
    ...Object.entries(warnings).map(
      ([text, count]) => `  warning: ${text} (${formatCount(count)})`,
    ),
  ]
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

const unlinkedText = ({ path, holders }: UnlinkedFile) =>
  `Wrote ${formatCount(holders)} unlinked holders to ${path}; ` +
  `fill in parent_asx_code where there is one, then run \`mds load subsidiaries ${path} --partial\``

function outcome({ dryRun, release, resources, seconds }: LoadSummary): string {
  const took = `${seconds.toFixed(1)} s`
  if (release !== null) return `Published as release ${release} in ${took}.`
  const differs = Object.values(resources).some(
    ({ added, changed, removed, deactivated }) => added + changed + removed + deactivated > 0,
  )
  if (!differs) return `No changes: nothing was published (${took}).`
  return dryRun ? `Dry run: nothing was published (${took}).` : `Nothing was published (${took}).`
}
