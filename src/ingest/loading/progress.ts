/**
 * Reports the progress of a load: one line that is rewritten on a terminal, a line every ten seconds
 * elsewhere, or nothing (the default).
 */

import { formatCount } from "../../system/text/display.ts"
import { printableLine, printableText } from "../../system/text/printable-text.ts"

export interface ReadingProgress {
  file: string
  /** The number of the file, and the rows of all so far. */
  files: number
  rows: number
  /** Of this file. */
  bytesRead: number
  /** Null where the length is unknown. */
  bytesTotal: number | null
}

export interface Progress {
  reading: (reading: ReadingProgress) => void
  /** @param text the current step, such as "Comparing companies" */
  step: (text: string) => void
  /** A warning, as a sentence without its full stop. */
  warn: (text: string) => void
  /** Ends the reports. Call it after a failure too. */
  stop: () => void
}

export const silent: Progress = {
  reading: () => {},
  step: () => {},
  warn: () => {},
  stop: () => {},
}

/** Standard error, or a substitute. */
export interface ProgressStream {
  isTTY: boolean
  columns: number
  write: (text: string) => unknown
}

const clearToEnd = "\u001b[K"

/** @param now the time in milliseconds */
export function progressOn(stream: ProgressStream, now = () => performance.now()): Progress {
  const everyMs = stream.isTTY ? 200 : 10_000
  /** On a terminal, until other text follows. */
  let hasFigures = false
  const endFigures = () => {
    if (hasFigures) stream.write("\n")
    hasFigures = false
  }
  const line = (text: string) => {
    endFigures()
    stream.write(`${text}\n`)
  }
  const figures = (text: string) => {
    if (!stream.isTTY) return line(text)
    hasFigures = true
    // The terminal cannot rewrite a line that it wraps.
    stream.write(`\r${text.slice(0, stream.columns - 1)}${clearToEnd}`)
  }
  let lastMs = now()
  let startedMs: number | undefined
  let file = { number: 0, startedMs: 0 }
  return {
    reading: ({ file: name, files, rows, bytesRead, bytesTotal }) => {
      const nowMs = now()
      startedMs ??= nowMs
      if (files !== file.number) file = { number: files, startedMs: nowMs }
      if (nowMs - lastMs < everyMs) return
      lastMs = nowMs
      const which = files > 1 ? ` (file ${formatCount(files)})` : ""
      const perSecond = Math.round((rows * 1000) / Math.max(1, nowMs - startedMs))
      const read = bytesTotal === null ? 0 : Math.min(1, bytesRead / bytesTotal)
      figures(
        `${printableLine(name)}${which}: ${formatCount(rows)} rows${files > 1 ? " in all" : ""}, ` +
          `${formatCount(perSecond)}/s${read > 0 ? partRead(read, nowMs - file.startedMs) : ""}`,
      )
    },
    step: (text) => line(`${printableLine(text)} …`),
    warn: (text) => line(printableText(text)),
    // A fetch loads one source after the other.
    stop: () => {
      endFigures()
      startedMs = undefined
      file = { number: 0, startedMs: 0 }
    },
  }
}

const partRead = (read: number, elapsedMs: number): string =>
  `, reading: ${Math.floor(100 * read)}%, ${Math.ceil((elapsedMs * (1 / read - 1)) / 1000)} s left`
