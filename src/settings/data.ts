/** What is loaded and fetched, and what is shown of it. */
import { resolve } from "node:path"
import type { Settings } from "./setting.ts"
import { integer, oneOf } from "./values.ts"

export const data = {
  HOLDER_NAMES: {
    description:
      "Which holders of tenements are stored by their names: `all`, or `companies` for those that are known to be no natural persons",
    fallback: "all",
    parse: oneOf("all", "companies"),
  },
  ABSENT_AFTER_HOURS: {
    description:
      "How long a record must have been missing from every load of its source before it goes: a company becomes inactive, a tenement is removed; files of the own-column sources remove at once",
    fallback: "48",
    parse: integer(0, 8_760),
  },
  SOURCES_FILE: {
    description:
      "File of the addresses that `mds fetch` downloads; empty for `sources.json` in `DATA_DIR`",
    fallback: "",
    parse: (path) => (path === "" ? null : resolve(path)),
  },
  FETCH_EVERY: {
    description:
      "Every how many hours `mds serve` fetches the sources that are due; 0 for never, so that only `mds fetch` does",
    fallback: "0",
    parse: integer(0, 168),
  },
} as const satisfies Settings
