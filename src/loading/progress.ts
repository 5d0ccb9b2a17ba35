/**
 * How a load reports its progress: a bar on a terminal, which cli-progress draws, lines elsewhere,
 * or not at all (the default). The lines are our own: a log needs one every ten seconds, not a bar.
 */
import { SingleBar } from "cli-progress"
import { printableLine, printableText } from "../text/printable-text.ts"

export interface Reading {
  file: string
  rows: number
  bytesRead: number
  /** Null where the length is unknown. */
  bytesTotal: number | null
}

export interface Progress {
  reading: (reading: Reading) => void
  /** What is done now, such as "Comparing companies". */
  step: (text: string) => void
  /** A warning, as a sentence without its full stop. */
  warn: (text: string) => void
  /** Ends the reports, also after a failure. */
  stop: () => void
}

export const silent: Progress = {
  reading: () => {},
  step: () => {},
  warn: () => {},
  stop: () => {},
}

/** A bar with rate and time left on a terminal, a line every ten seconds elsewhere. */
export function progressOn(stream: NodeJS.WriteStream): Progress {
  return printable(
    stream.isTTY ? barProgress(stream) : lineProgress((line) => stream.write(`${line}\n`)),
  )
}

/** The names of files are in all of it. */
const printable = ({ reading, step, warn, stop }: Progress): Progress => ({
  reading: (figures) => reading({ ...figures, file: printableLine(figures.file) }),
  step: (text) => step(printableLine(text)),
  warn: (text) => warn(printableText(text)),
  stop,
})

const maxBars = 10

function barProgress(stream: NodeJS.WriteStream): Progress {
  let current: SingleBar | undefined
  let file = ""
  let files = 0
  const startedAt = { ms: 0 }
  const stop = () => {
    current?.stop()
    current = undefined
    file = ""
  }
  const start = (reading: Reading) => {
    stop()
    file = reading.file
    files++
    startedAt.ms = performance.now()
    const known = reading.bytesTotal !== null
    const format = `{file} ${known ? "{bar} {percentage}% " : ""}{rows} rows, {rate}/s${known ? ", {eta_formatted} left" : ""}`
    // The bars of many files would fill the terminal.
    const clearOnComplete = files > maxBars
    current = new SingleBar({
      stream,
      format,
      hideCursor: true,
      clearOnComplete,
      etaBuffer: 50,
      fps: 5,
    })
    current.start(reading.bytesTotal ?? 0, 0, { file, rows: "0", rate: "0" })
  }
  return {
    reading: (reading) => {
      if (reading.file !== file) start(reading)
      const rate = ratePerSecond(reading.rows, performance.now() - startedAt.ms)
      const rows = formatCount(reading.rows)
      current?.update(reading.bytesRead, { rows, rate: formatCount(rate) })
    },
    step: (text) => {
      stop()
      stream.write(`${text} …\n`)
    },
    warn: (text) => {
      stop()
      stream.write(`${text}\n`)
    },
    stop,
  }
}

const lineEveryMs = 10_000

/** The clock is a parameter, so that tests need not wait. */
export function lineProgress(
  write: (line: string) => void,
  now = () => performance.now(),
): Progress {
  const loadStartedMs = now()
  let startedMs = loadStartedMs
  let lastMs = loadStartedMs
  let files = 0
  let file = ""
  let rowsBefore = 0
  let rows = 0
  return {
    reading: (reading) => {
      const nowMs = now()
      if (reading.file !== file) {
        file = reading.file
        files++
        rowsBefore += rows
        startedMs = nowMs
      }
      rows = reading.rows
      if (nowMs - lastMs < lineEveryMs) return
      // Of files that are each read in less time, a rate and a time left would mean nothing.
      const isLong = files === 1 || startedMs <= lastMs
      lastMs = nowMs
      write(
        isLong
          ? readingLine(reading, nowMs - startedMs)
          : manyLine(file, files, rowsBefore + rows, nowMs - loadStartedMs),
      )
    },
    step: (text) => write(`${text} …`),
    warn: write,
    stop: () => {},
  }
}

function readingLine({ file, rows, bytesRead, bytesTotal }: Reading, elapsedMs: number): string {
  const start = `${file}: ${formatCount(rows)} rows, ${formatCount(ratePerSecond(rows, elapsedMs))}/s`
  if (bytesTotal === null || bytesRead === 0) return start
  const leftSeconds = Math.ceil((elapsedMs * (bytesTotal / bytesRead - 1)) / 1000)
  return `${start}, ${Math.floor((100 * bytesRead) / bytesTotal)}%, ${leftSeconds} s left`
}

const manyLine = (file: string, files: number, rows: number, elapsedMs: number) =>
  `${file} (file ${formatCount(files)}): ${formatCount(rows)} rows in all, ${formatCount(ratePerSecond(rows, elapsedMs))}/s`

const ratePerSecond = (rows: number, elapsedMs: number) =>
  elapsedMs > 0 ? Math.round((rows * 1000) / elapsedMs) : 0

export const formatCount = (count: number): string => count.toLocaleString("en-AU")
