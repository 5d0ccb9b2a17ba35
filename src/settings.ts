/** The settings, each declared once, in the order of the README's table. */
import { resolve } from "node:path"
import { readMailbox } from "./text/email-address.ts"
import {
  checkBaseAddress,
  checkPostgresAddress,
  checkRedisAddress,
  checkSmtpAddress,
} from "./text/service-addresses.ts"

export interface Setting<T = unknown> {
  /** For the README. */
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

const text = (value: string): string => value

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
    parse: text,
  },
  ADMIN_PORT: {
    description:
      "Further port, on the same address, for operators alone: `/livez`, `/readyz` and `/metrics`; 0 for none: then they are on `PORT`, `/metrics` only for clients on this machine",
    fallback: "0",
    parse: (text) => (text === "" ? 0 : integer(0, 65_535)(text)),
  },
  BASE_URL: {
    description:
      "The service's public URL, which `Link` headers, mailed links, the API's description and examples begin with; required with `SMTP_URL`; links are relative without it",
    parse: (text) => address(checkBaseAddress)(text)?.replace(/\/+$/, "") ?? "",
  },
  TRUSTED_PROXIES: {
    description: "How many proxies append to `X-Forwarded-For`; 0 ignores that header",
    fallback: "0",
    parse: integer(0, 20),
  },
  SHUTDOWN_SECONDS: {
    description:
      "How long requests in progress may take to end when the service is stopped; then they are aborted. Docker kills a container ten seconds after `docker stop`",
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
    description:
      "Address of the database's replicas, which lists, exports and records are read from; what they cannot serve is read from `DATABASE_URL`",
    secret: true,
    parse: address(checkPostgresAddress),
  },
  DATABASE_DIRECT_URL: {
    description:
      "The database's own address where `DATABASE_URL` is that of a connection pooler; for notifications, loads and migrations",
    secret: true,
    parse: address(checkPostgresAddress),
  },
  DATA_DIR: {
    description: "Directory of the embedded PostgreSQL, of fetched files and of rejected rows",
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
  RATE_WINDOW_SECONDS: {
    description: "Length of the rate limit's sliding window; change it only for tests",
    fallback: "3600",
    parse: integer(1, 86_400),
  },
  CACHE_MEMORY_MB: {
    description:
      "Memory for all caches of a process together; 0 caches nothing, and keeps page sequences in 1 MB",
    fallback: "64",
    parse: integer(0, 1_000_000),
  },
  REDIS_URL: {
    description:
      "Redis or Valkey through which several processes share rate limit windows and page sequences, as `redis://user:password@host:6379/0`; empty for a single process",
    secret: true,
    parse: address(checkRedisAddress),
  },
  MAX_EXPORTS: {
    description:
      "Concurrent exports, each of which may take 10 MB of memory, the system's buffers included, while its client does not read; an account has at most a fifth of them, and further ones are queued",
    fallback: "20",
    parse: integer(1, 10_000),
  },
  EXPORT_STALL_SECONDS: {
    description: "The client of an export is disconnected after reading nothing for this long",
    fallback: "300",
    parse: integer(1, 86_400),
  },
  SIGNUP: {
    description:
      "Who makes accounts: `closed` for operators alone, `open` for anybody whose email address is confirmed by a mail; those are on the standard plan",
    fallback: "closed",
    parse: oneOf("closed", "open"),
  },
  SMTP_URL: {
    description:
      "Mail server that sends links for signing in, as `smtp://user:password@host:587` or `smtps://`; it must offer TLS unless it is on this machine; empty for none: then `mds account link` prints them",
    secret: true,
    parse: address(checkSmtpAddress),
  },
  MAIL_FROM: {
    description: "Sender of mails, as `Name <name@example.com>`; required with `SMTP_URL`",
    parse: orNull(readMailbox),
  },
  ACTOR: {
    description:
      "Name recorded in the audit log for command-line changes; empty for the user of the operating system",
    parse: text,
  },
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
    description: "What `mds fetch` downloads; empty for `sources.json` in `DATA_DIR`",
    parse: orNull((path) => resolve(path)),
  },
  FETCH_EVERY: {
    description:
      "Every how many hours `mds serve` fetches the sources that are due; 0 for never, so that only `mds fetch` does",
    fallback: "0",
    parse: integer(0, 168),
  },
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
    parse: (value) => value !== "",
  },
} as const satisfies Readonly<Record<string, Setting>>
