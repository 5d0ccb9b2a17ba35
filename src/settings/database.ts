/** The database. */
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
  DATABASE_CONNECTIONS: {
    description:
      "Database connections of the process, besides two for notifications and for asking whether the database answers; with `DATABASE_READ_URL` as many again to the replica",
    fallback: "24",
    parse: integer(6, 1_000),
  },
  STATEMENT_TIMEOUT_SECONDS: {
    description: "Timeout of each database statement of a request",
    fallback: "15",
    parse: integer(1, 600),
  },
} as const satisfies Settings
