/** The settings, each declared once, in the order of the guide's table. */
import { resolve } from "node:path"
import { readMailbox } from "./system/text/email-address.ts"
import {
  checkBaseAddress,
  checkPostgresAddress,
  checkProxyAddress,
  checkRedisAddress,
  checkSmtpAddress,
  checkTilesAddress,
} from "./system/text/service-addresses.ts"

export interface Setting<T = unknown> {
  /** For the guide. */
  description: string
  /** The default, as text; empty without one. */
  fallback?: string
  /** The value must not be printed. */
  secret?: boolean
  /** @throws Error whose message says what is expected */
  parse: (text: string) => T
}

const integer =
  (minimum: number, maximum: number) =>
  (text: string): number => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
      throw new Error(`must be an integer from ${minimum} to ${maximum}`)
    }
    return value
  }

const oneOf =
  <T extends string>(...values: readonly T[]) =>
  (text: string): T => {
    const value = values.find((each) => each === text)
    if (value === undefined) throw new Error(`must be ${values.join(" or ")}`)
    return value
  }

const nonEmpty = (text: string): string => {
  if (text.trim() === "") throw new Error("must not be empty")
  return text
}

/** Null where it is empty. */
const orNull =
  <T>(parse: (text: string) => T) =>
  (text: string): T | null =>
    text === "" ? null : parse(text)

const address = (check: (text: string) => void) =>
  orNull((text) => {
    check(text)
    return text
  })

export const settings = {
  PORT: {
    description: "Port to listen on; 0 for any free port",
    fallback: "3000",
    parse: integer(0, 65_535),
  },
  HOST: {
    description: "Address to listen on; `0.0.0.0` for all",
    fallback: "127.0.0.1",
    parse: nonEmpty,
  },
  ADMIN_PORT: {
    description:
      "Second port, only for operators, with `/livez`, `/readyz` and `/metrics`; 0 for none",
    fallback: "0",
    parse: integer(0, 65_535),
  },
  BASE_URL: {
    description:
      "Public URL of the service, for `Link` headers, mails and samples; `/mcp` accepts no other host; required with `SMTP_URL`",
    parse: (text) => address(checkBaseAddress)(text)?.replace(/\/+$/, "") ?? "",
  },
  TRUSTED_PROXIES: {
    description: "Number of proxies that append to `X-Forwarded-For`; 0 ignores that header",
    fallback: "0",
    parse: integer(0, 20),
  },
  SHUTDOWN_SECONDS: {
    description:
      "Time for requests in progress at shutdown. The service then aborts them. Docker kills a container ten seconds after `docker stop`",
    fallback: "6",
    parse: integer(0, 600),
  },
  DATABASE_URL: {
    description:
      "PostgreSQL 15 or later, as `postgres://user:password@host/database`; empty for the embedded server",
    secret: true,
    parse: address(checkPostgresAddress),
  },
  DATABASE_READ_URL: {
    description: "Address of replicas for lists, exports and records",
    secret: true,
    parse: address(checkPostgresAddress),
  },
  DATABASE_DIRECT_URL: {
    description:
      "Address of the database itself if `DATABASE_URL` is a pooler; for notifications, loads and migrations",
    secret: true,
    parse: address(checkPostgresAddress),
  },
  DATA_DIR: {
    description: "Directory of the embedded PostgreSQL, fetched files and rejected rows",
    fallback: "data",
    parse: (path) => resolve(nonEmpty(path)),
  },
  DATABASE_CONNECTIONS: {
    description:
      "Database connections of the process, besides three for notifications, readiness and watches; as many again to `DATABASE_READ_URL`",
    fallback: "24",
    parse: integer(6, 1_000),
  },
  STATEMENT_TIMEOUT_SECONDS: {
    description: "Timeout of each database statement of a request",
    fallback: "15",
    parse: integer(1, 600),
  },
  RATE_WINDOW_SECONDS: {
    description: "Length of the rate limit's sliding window; change it only for tests",
    fallback: "3600",
    parse: integer(1, 86_400),
  },
  CACHE_MEMORY_MB: {
    description: "Memory for all caches of a process; 0 caches nothing",
    fallback: "64",
    parse: integer(0, 1_000_000),
  },
  REDIS_URL: {
    description:
      "Redis or Valkey shared by several processes, as `redis://user:password@host:6379/0`; empty for a single process",
    secret: true,
    parse: address(checkRedisAddress),
  },
  MAX_EXPORTS: {
    description:
      "Concurrent exports, each with up to 10 MB of memory while its client stalls; one account gets at most a fifth, further ones are queued",
    fallback: "20",
    parse: integer(1, 10_000),
  },
  EXPORT_STALL_SECONDS: {
    description:
      "Time in which the client of an export must read 64 KB; 20 s while another account waits for a slot",
    fallback: "300",
    parse: integer(1, 86_400),
  },
  SIGNUP: {
    description:
      "`closed` if only operators create accounts; `open` for anyone with a confirmed email address, on the standard plan",
    fallback: "closed",
    parse: oneOf("closed", "open"),
  },
  SMTP_URL: {
    description:
      "Mail server for sign-in links and watches, as `smtp://user:password@host:587` or `smtps://`, with TLS unless on this " +
      "machine; empty to print links only with `mds account link`",
    secret: true,
    parse: address(checkSmtpAddress),
  },
  MAIL_FROM: {
    description: "Sender of mails, as `Name <name@example.com>`; required with `SMTP_URL`",
    parse: orNull(readMailbox),
  },
  WEBHOOK_PRIVATE: {
    description:
      "`true` lets watches also post to private addresses, over http too; `false` only to public ones",
    fallback: "false",
    parse: (text) => oneOf("false", "true")(text) === "true",
  },
  WEBHOOK_PROXY: {
    description:
      "Proxy for webhooks, as `http://user:password@host:3128`, which then decides what they reach; empty to connect directly",
    secret: true,
    parse: address(checkProxyAddress),
  },
  ACTOR: {
    description:
      "Name recorded in the audit log for command-line changes; empty for the user of the operating system",
    parse: String,
  },
  HOLDER_NAMES: {
    description: "Holders stored by name: `all`, or `companies` to leave out natural persons",
    fallback: "all",
    parse: oneOf("all", "companies"),
  },
  ABSENT_AFTER_HOURS: {
    description:
      "Hours for which every load must lack a record before a load removes it; a company becomes inactive instead",
    fallback: "48",
    parse: integer(0, 8_760),
  },
  SOURCES_FILE: {
    description: "List of the sources for `mds fetch`; empty for `sources.json` in `DATA_DIR`",
    parse: orNull((path) => resolve(path)),
  },
  FETCH_EVERY: {
    description: "Hours after which `mds serve` looks for due sources again; 0 to fetch none",
    fallback: "0",
    parse: integer(0, 168),
  },
  MAP_TILES: {
    description:
      "Tiles of a base map, as `https://tiles.example.com/{z}/{x}/{y}.png`, whose host sees the addresses of visitors; empty for only coast and borders",
    parse: address(checkTilesAddress),
  },
  MAP_ATTRIBUTION: {
    description:
      "Credit for the tiles, shown below the map, as Markdown; required with `MAP_TILES`",
    parse: String,
  },
  LOG_FORMAT: {
    description:
      "Format of the log: `json`, `text`, or `auto` for text on a terminal and JSON elsewhere",
    fallback: "auto",
    parse: oneOf("auto", "json", "text"),
  },
  LOG_LEVEL: {
    description:
      "Least severe lines to log: `error`, `warn`, `info`, or `debug`, which adds probes and scrapes",
    fallback: "info",
    parse: oneOf("error", "warn", "info", "debug"),
  },
  NO_COLOR: {
    description: "Any value removes colours from the log",
    parse: (value) => value !== "",
  },
} as const satisfies Readonly<Record<string, Setting>>
