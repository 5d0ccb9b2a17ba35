/** The log of a process that serves, on its standard output. */
import type { Config } from "../config.ts"
import { createLog, type Log } from "../log/log.ts"
import { createLogBuffer, type LogBuffer } from "../log/log-buffer.ts"
import { jsonLine } from "../log/log-line.ts"
import { textLine } from "../log/text-line.ts"
import { writeToStandardOutput } from "./standard-streams.ts"

/** How long the process waits at its end for the log to be written. */
export const logFlushMs = 500

export function openLog(config: Config, now: () => Date): { log: Log; buffer: LogBuffer } {
  const buffer = createLogBuffer({
    write: writeToStandardOutput,
    onDropped: (lines) => log.warn("log lines dropped", { lines }),
  })
  const format = isText(config)
    ? textLine({ colours: process.stdout.isTTY && !config.NO_COLOR })
    : jsonLine
  const log = createLog(buffer.write, now, { level: config.LOG_LEVEL, format })
  return { log, buffer }
}

/** Text where a person reads it: on a terminal. */
export const isText = ({ LOG_FORMAT }: Config): boolean =>
  LOG_FORMAT === "text" || (LOG_FORMAT === "auto" && process.stdout.isTTY)
