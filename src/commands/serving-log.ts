/** The log of a process that serves, on its standard output. */
import { write } from "node:fs"
import type { Config } from "../config.ts"
import { createLog, jsonLine, type Log } from "../log/log.ts"
import { createLogBuffer, type LogBuffer, type WriteSome } from "../log/log-buffer.ts"
import { textLine } from "../log/text-line.ts"

/** How long the process waits at its end for the log to be written. */
export const logFlushMs = 500

export function openLog(config: Config, now: () => Date): { log: Log; buffer: LogBuffer } {
  const buffer = createLogBuffer({
    write: writeToStandardOutput,
    onDropped: (lines) => log.warn("log lines dropped", { lines }),
  })
  const isText =
    config.LOG_FORMAT === "text" || (config.LOG_FORMAT === "auto" && process.stdout.isTTY)
  const format = isText ? textLine({ colours: process.stdout.isTTY && !config.NO_COLOR }) : jsonLine
  const log = createLog(buffer.write, now, { level: config.LOG_LEVEL, format })
  return { log, buffer }
}

/**
 * Lets the process continue when standard output or error is full or has no reader. What cannot be
 * written is lost. Using the two streams also makes Bun switch pipes to non-blocking, without which
 * `writeToStandardOutput` would block one of the few threads that also compress and resolve names.
 */
export function ignoreOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
}

/** Bypasses `process.stdout`, which buffers without bound. */
const writeToStandardOutput: WriteSome = (bytes) =>
  new Promise((resolve, reject) => {
    write(process.stdout.fd, bytes, (error, written) => {
      if (error) reject(error)
      else resolve(written)
    })
  })
