/** The database, and how many of its connections each kind of work has. */
import { resolve } from "node:path"
import type { Settings } from "./setting.ts"
import { integer, postgresUrl } from "./values.ts"

export const database = {
  DATABASE_URL: {
    description:
      "PostgreSQL 15 or later, as `postgres://user:password@host/database`; empty for the embedded server",
    fallback: "",
    secret: true,
    parse: postgresUrl,
  },
  DATABASE_READ_URL: {
    description:
      "Address of the database's replicas, which lists, exports and records are read from; what they cannot serve is read from `DATABASE_URL`",
    fallback: "",
    secret: true,
    parse: postgresUrl,
  },
  DATABASE_DIRECT_URL: {
    description:
      "The address of the database itself where `DATABASE_URL` is that of a connection pooler; for notifications, loads and migrations",
    fallback: "",
    secret: true,
    parse: postgresUrl,
  },
  DATA_DIR: {
    description:
      "Directory of the embedded PostgreSQL's data, of fetched files and of the rows that loads reject",
    fallback: "data",
    parse: (path) => resolve(path),
  },
  LOOKUP_CONNECTIONS: {
    description:
      "Database connections for lookups of tokens, releases and single records; an account uses all but one of them at most",
    fallback: "8",
    parse: integer(1, 500),
  },
  REQUEST_CONNECTIONS: {
    description:
      "Database connections for pages of lists; an account uses at most half of them, as of those for counts and exports",
    fallback: "8",
    parse: integer(1, 500),
  },
  COUNT_CONNECTIONS: {
    description:
      "Database connections for counting the records of lists and finding the anchors of deep pages; each may take `work_mem` of 64 MB in the database, as may two parallel workers",
    fallback: "4",
    parse: integer(1, 500),
  },
  EXPORT_CONNECTIONS: {
    description: "Database connections for exports with `all=true`",
    fallback: "3",
    parse: integer(1, 100),
  },
  STATEMENT_TIMEOUT_SECONDS: {
    description: "Timeout of each database statement of a request",
    fallback: "15",
    parse: integer(1, 600),
  },
  LOCK_TIMEOUT_MS: {
    description:
      "How long a statement of a request waits for a lock, as while a migration changes its table, before the request is refused with 503",
    fallback: "1500",
    parse: integer(1, 600_000),
  },
} as const satisfies Settings
