/** The log of a process that serves, on its standard output. */
import { write } from "node:fs"
import type { Config } from "../config.ts"
import { createLog, jsonLine, type Log } from "../system/log/log.ts"
import { createLogBuffer, type LogBuffer, type WriteSome } from "../system/log/log-buffer.ts"
import { textLine } from "../system/log/text-line.ts"

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

/** Bypasses `process.stdout`, which buffers without bound. */
const writeToStandardOutput: WriteSome = (bytes) =>
  new Promise((resolve, reject) => {
    write(process.stdout.fd, bytes, (error, written) => {
      if (error) reject(error)
      else resolve(written)
    })
  })
