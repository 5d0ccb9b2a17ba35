/**
 * The lines of a load's summary about its files: a line for each file or, for many files, their totals and
 * the files with rejected rows. The summary as JSON has all files.
 */

import { formatCount } from "../text/display.ts"
import { firstOf } from "../text/printable-text.ts"
import { countText, type FileFigures, rowsRead, sum, totalOf } from "./figures.ts"

/** Of more files only the totals are shown. */
const maxFilesShown = 10
const maxWarningsShown = 50
const maxNotesShown = 10

export const fileLines = (files: readonly FileFigures[]): string[] =>
  files.length <= maxFilesShown ? files.flatMap((file) => linesOf([file])) : linesOf(files)

function linesOf(files: readonly FileFigures[]): string[] {
  const [first, ...others] = files
  const title = others.length > 0 ? `${formatCount(files.length)} files` : first?.name
  return [
    `${title}: ${countsText(files)}`,
    ...absenceLines(files),
    ...(others.length > 0 ? [...rejectedLines(files), ...emptyLines(files)] : []),
    ...textLines("warning", maxWarningsShown, files, ({ warnings }) => warnings),
    ...textLines("note", maxNotesShown, files, ({ notes = [] }) =>
      Object.fromEntries(notes.map((note) => [note, 1])),
    ),
  ]
}

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

function rejectedLines(files: readonly FileFigures[]): string[] {
  const faulty = files
    .filter(({ rejected }) => rejected > 0)
    .sort((a, b) => b.rejected - a.rejected)
  const shown = faulty.slice(0, maxFilesShown).map(({ name, rejected, unreadable }) => {
    const unreadableText = unreadable > 0 ? `, ${formatCount(unreadable)} without a key` : ""
    return `  ${name}: ${formatCount(rejected)} rejected${unreadableText}`
  })
  return [...shown, ...moreLines("files with rejected rows", faulty.length - shown.length)]
}

/** Files without a record of the source are named: they may be other files than intended. */
function emptyLines(files: readonly FileFigures[]): string[] {
  const empty = files.filter(({ read, left_out }) => read > 0 && sum(left_out) === read)
  if (empty.length === 0) return []
  return [`  every row is left out of ${firstOf(empty, maxFilesShown, ({ name }) => name)}`]
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
  const shown = texts.slice(0, maxShown).map(([text, { count, files, first }]) => {
    const place = files > 1 ? `${formatCount(files)} files` : first
    const where = isOne ? [] : [place]
    const numbers = kind === "note" ? where : [formatCount(count), ...where]
    return `  ${kind}: ${text}${numbers.length > 0 ? ` (${numbers.join(" in ")})` : ""}`
  })
  return [...shown, ...moreLines(`${kind}s`, texts.length - shown.length)]
}

const moreLines = (what: string, count: number): string[] =>
  count > 0 ? [`  ${formatCount(count)} more ${what}; --json lists every file`] : []
