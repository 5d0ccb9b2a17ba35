/** What operators see of a running process. */
import type { Settings } from "./setting.ts"
import { oneOf } from "./values.ts"

export const observation = {
  LOG_FORMAT: {
    description:
      "Format of the log: `json` for one object per line, `text` for people, `auto` for text on a terminal and JSON elsewhere",
    fallback: "auto",
    parse: oneOf("auto", "json", "text"),
  },
  LOG_LEVEL: {
    description:
      "The least severe lines that are logged: `error`, `warn`, `info`, or `debug`, which adds the requests of probes and scrapers",
    fallback: "info",
    parse: oneOf("error", "warn", "info", "debug"),
  },
  NO_COLOR: {
    description: "Any value leaves colours out of the log, which has them on a terminal alone",
    fallback: "",
    parse: (value) => value !== "",
  },
} as const satisfies Settings
