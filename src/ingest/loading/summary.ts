/**
 * The outcome of a load, as values and as text. The text has the totals of all files, and a line for each of
 * the first. The values, which `--json` prints, have all files.
 */
import type { ConfirmedChange } from "../../data/db/confirmed-change.ts"
import { namesOf } from "../../data/db/missing-records.ts"
import { confirmGroups, groupsInWords } from "../../data/reader/links.ts"
import type { LinkedShares } from "../../data/reader/source-loads.ts"
import { countOf, formatCount } from "../../system/text/display.ts"
import { printableLine } from "../../system/text/printable-text.ts"
import {
  type ChangeFigures,
  countText,
  type FileFigures,
  type LinkFigures,
  type MissingFigures,
  type PublishedLoad,
  rowsRead,
  sum,
  systemsOf,
  totalOf,
} from "./figures.ts"
import { assumedTime } from "./observation.ts"
import { type RejectsWritten, rejectsText } from "./rejects.ts"

/** `unconfirmed`: how many serving processes may still show the previous release. */
export interface LoadSummary
  extends PublishedLoad,
    RejectsWritten,
    Pick<ConfirmedChange<PublishedLoad>, "unconfirmed"> {
  source: string
  dryRun: boolean
  seconds: number
}

/** Lines without a line break at the end. No line begins with text from a file. */
export function formatSummary(summary: LoadSummary): string {
  const { source, resource, files, changes, missing, links } = summary
  const rejects = rejectsText(summary)
  return [
    ...fileLines(files),
    `${resource}: ${changeText(files, changes)}`,
    ...missingLines(source, missing),
    ...(links ? linkLines(links) : []),
    ...(rejects === undefined ? [] : [rejects]),
    ...(summary.observedIsKnown ? [] : assumedTime(summary)),
    outcome(summary),
    ...(links ? groupLines(links) : []),
  ]
    .map(printableLine)
    .join("\n")
}

const maxFilesShown = 10
const maxWarningsShown = 50
const maxNotesShown = 10

const fileLines = (files: readonly FileFigures[]): string[] => [
  ...(files.length > 1 ? [`${formatCount(files.length)} files: ${countsText(files)}`] : []),
  ...firstLines(
    "files",
    maxFilesShown,
    files.toSorted(byLoss),
    (file) => `${files.length > 1 ? "  " : ""}${file.name}: ${countsText([file])}`,
  ),
  ...absenceLines(files),
  ...shapeLines(files),
  ...textLines("warning", maxWarningsShown, files, ({ warnings }) => warnings),
  ...textLines("note", maxNotesShown, files, ({ notes = [], kept_fields = [], accepted }) => {
    const kept = `no usable column for ${kept_fields.join(", ")}; stored values stay`
    const shown = accepted > 0 && kept_fields.length > 0 ? [...notes, kept] : notes
    return Object.fromEntries(shown.map((note) => [note, 1]))
  }),
]

/** Files with rejected rows first, then those whose rows are left out: they may be other files than intended. */
const byLoss = (a: FileFigures, b: FileFigures): number =>
  b.rejected - a.rejected || sum(b.left_out) - sum(a.left_out)

function countsText(files: readonly FileFigures[]): string {
  const leftOut: Record<string, number> = {}
  for (const { left_out } of files) {
    for (const [reason, count] of Object.entries(left_out)) countText(leftOut, reason, count)
  }
  const repeated = totalOf(files, (file) => file.repeated)
  const parts = [
    `${formatCount(totalOf(files, ({ accepted }) => accepted))} accepted`,
    `${formatCount(totalOf(files, ({ rejected }) => rejected))} rejected`,
    ...(repeated > 0 ? [`${formatCount(repeated)} repeated`] : []),
    ...Object.entries(leftOut).map(
      ([reason, count]) => `${formatCount(count)} left out (${reason})`,
    ),
  ]
  return `${formatCount(rowsRead(files))} rows read = ${parts.join(" + ")}`
}

/** Why no record counts as missing. */
function absenceLines(files: readonly FileFigures[]): string[] {
  const unreadable = totalOf(files, (file) => file.unreadable)
  const incomplete = files.filter((file) => file.incomplete).map(({ name }) => name)
  const others = incomplete.length > 1 ? ` and ${formatCount(incomplete.length - 1)} more` : ""
  return [
    ...(unreadable > 0 ? [`rows without a readable key: ${formatCount(unreadable)}`] : []),
    ...(incomplete.length > 0 ? [`${incomplete[0]}${others} is marked as incomplete`] : []),
  ].map((why) => `  ${why}, so no record counts as missing`)
}

function shapeLines(files: readonly FileFigures[]): string[] {
  const shapes = totalOf(files, (file) => file.shapes ?? 0)
  return shapes === 0 ? [] : [`  shapes: ${formatCount(shapes)} (${systemsOf(files).join(", ")})`]
}

/** A text that many files have is shown once, with the sum of its counts. */
function textLines(
  kind: "warning" | "note",
  maxShown: number,
  files: readonly FileFigures[],
  countsOf: (file: FileFigures) => Readonly<Record<string, number>>,
): string[] {
  const found = new Map<string, { count: number; files: number; first: string }>()
  for (const file of files) {
    for (const [text, count] of Object.entries(countsOf(file))) {
      const before = found.get(text) ?? { count: 0, files: 0, first: file.name }
      found.set(text, { ...before, count: before.count + count, files: before.files + 1 })
    }
  }
  const isOne = files.length === 1
  const texts = [...found].sort(([, a], [, b]) => b.count - a.count)
  return firstLines(`${kind}s`, maxShown, texts, ([text, { count, files, first }]) => {
    const place = files > 1 ? `${formatCount(files)} files` : first
    const where = isOne ? [] : [place]
    const numbers = kind === "note" ? where : [formatCount(count), ...where]
    return `  ${kind}: ${text}${numbers.length > 0 ? ` (${numbers.join(" in ")})` : ""}`
  })
}

function firstLines<Item>(
  what: string,
  maxShown: number,
  items: readonly Item[],
  lineOf: (item: Item) => string,
): string[] {
  const more = items.length - maxShown
  return [
    ...items.slice(0, maxShown).map(lineOf),
    ...(more > 0 ? [`  ${formatCount(more)} more ${what}; --json lists every file`] : []),
  ]
}

/** Accepted rows were added, changed or equal to their records. */
function changeText(
  files: readonly FileFigures[],
  { added, changed, removed, deactivated, reshaped = 0 }: ChangeFigures,
): string {
  const accepted = totalOf(files, (file) => file.accepted)
  return (
    `${formatCount(accepted)} accepted = ${formatCount(added)} added + ${formatCount(changed)} changed + ` +
    `${formatCount(accepted - added - changed)} unchanged; ${formatCount(removed)} removed` +
    (deactivated > 0 ? `, ${formatCount(deactivated)} deactivated` : "") +
    (reshaped > 0 ? `; shapes changed: ${formatCount(reshaped)}` : "")
  )
}

function missingLines(
  source: string,
  { missing, newly, returned, largest }: MissingFigures,
): string[] {
  const more = missing > largest.length ? ", …" : ""
  return [
    ...(missing > 0
      ? [
          `  ${formatCount(missing)} missing, ${formatCount(newly)} of them newly, kept for now: ${namesOf(largest)}${more}; ` +
            `list them with \`mds sources show ${source}\``,
        ]
      : []),
    ...(returned > 0 ? [`  ${formatCount(returned)} no longer missing`] : []),
  ]
}

function linkLines(links: LinkFigures): string[] {
  const { linked, directly, through_subsidiaries, declared, unlinked } = links
  const { rows, unmatched, ambiguous } = links.declarations
  const tenements = totalOf(Object.values(links.by_state), (state) => state.tenements)
  if (tenements === 0) return []
  return [
    `links of all sources: ${formatCount(tenements)} tenements = ${formatCount(linked)} linked to a company + ` +
      `${formatCount(unlinked)} with unlinked holders + ${formatCount(tenements - linked - unlinked)} without a holder`,
    `  linked by a company's name: ${formatCount(directly)}, by a subsidiary's or confirmed holder's: ` +
      `${formatCount(through_subsidiaries)}, by a declaration: ${formatCount(declared)}; some by several`,
    ...(rows === 0
      ? []
      : [
          `  declared tenements: ${formatCount(rows)}, of which several tenements have the number of ` +
            `${formatCount(ambiguous)}, and none that of ${formatCount(unmatched)}`,
        ]),
    `  this load changed the companies of ${countOf(links.changed.tenements, "tenement")} of earlier loads and the number of tenements of ` +
      countOf(links.changed.companies, "company", "companies"),
    `  unlinked holders: ${formatCount(links.unlinked_holders)}; list them with \`mds holders unlinked\``,
  ]
}

function groupLines({ by_state, known_groups }: LinkFigures): string[] {
  const words = groupsInWords(by_state, known_groups)
  return words === null ? [] : [`${words} Confirm them with \`${confirmGroups}\`.`]
}

/** The shares of all states together. */
export function sharesText(shares: LinkedShares): string {
  const states = Object.values(shares)
  const linked = totalOf(states, (state) => state.linked)
  const tenements = totalOf(states, (state) => state.tenements)
  const ofCompanies = totalOf(states, (state) => state.of_companies)
  const percent = (whole: number) => `${((100 * linked) / Math.max(1, whole)).toFixed(1)}%`
  return (
    `${formatCount(linked)} of ${formatCount(tenements)} tenements (${percent(tenements)}), ` +
    `${percent(ofCompanies)} of those with a company among their holders`
  )
}

function outcome({ dryRun, release, missing: { newly }, seconds }: LoadSummary): string {
  const took = `${seconds.toFixed(1)} s`
  if (release !== null) return `Published as release ${release} in ${took}.`
  if (dryRun) return `Dry run: nothing was published (${took}).`
  const recorded =
    newly > 0 ? `, but ${countOf(newly, "record is", "records are")} newly missing` : ""
  return `No changes: nothing was published${recorded} (${took}).`
}
