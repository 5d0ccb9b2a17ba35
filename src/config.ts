/**
 * The settings, each declared once. Only this file reads them from the environment. The README's table
 * is generated from the same declarations.
 */
import { resolve } from "node:path"
import {
  baseUrl,
  integer,
  mailbox,
  oneOf,
  postgresUrl,
  redisUrl,
  smtpUrl,
  text,
} from "./config-values.ts"

interface Setting<T> {
  /** For the README. */
  description: string
  /** The default, as text. */
  fallback: string
  /** The value must not be printed. */
  secret?: boolean
  /** @throws Error whose message says what is expected */
  parse: (text: string) => T
}

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
  BASE_URL: {
    description:
      "The service's public URL, used in `Link` headers, mailed links, the API's description and printed examples; required with `SMTP_URL`; without it links are relative",
    fallback: "",
    parse: baseUrl,
  },
  DATABASE_URL: {
    description:
      "PostgreSQL 15 or later, as `postgres://user:password@host/database`; empty for the embedded server",
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
  TRUSTED_PROXIES: {
    description:
      "How many proxies in front of the service append to `X-Forwarded-For`; 0 ignores that header",
    fallback: "0",
    parse: integer(0, 20),
  },
  RATE_WINDOW_SECONDS: {
    description: "Length of the rate limit's sliding window; change it only for tests",
    fallback: "3600",
    parse: integer(1, 86_400),
  },
  WINDOW_MEMORY_MB: {
    description:
      "Memory in a process for the rate limit windows of accounts, and an eighth of it in addition for those of addresses; beyond it, the least recently used are evicted",
    fallback: "512",
    parse: integer(1, 1_000_000),
  },
  CACHE_MEMORY_MB: {
    description:
      "Memory for all caches of a process: whole answers, plans, totals, page positions, anchors of deep pages, keys of short lists, breakdowns by value, tokens, page sequences; 0 caches nothing, and keeps page sequences in 1 MB",
    fallback: "64",
    parse: integer(0, 1_000_000),
  },
  REDIS_URL: {
    description:
      "Redis or Valkey through which several processes share rate limit windows and page sequences, as `redis://user:password@host:6379/0`; empty for a single process",
    fallback: "",
    secret: true,
    parse: redisUrl,
  },
  REDIS_TIMEOUT_MS: {
    description: "Timeout of Redis calls, after which a process continues with its local windows",
    fallback: "50",
    parse: integer(1, 60_000),
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
  MAX_EXPORTS: {
    description:
      "Concurrent exports, each of which takes some memory; an account has at most a fifth of them, and further ones are queued",
    fallback: "100",
    parse: integer(1, 10_000),
  },
  QUEUE_LENGTH: {
    description:
      "Length of the queue for each kind of connection; when it is full, a request of the account with most requests in it is answered with 503",
    fallback: "1000",
    parse: integer(0, 100_000),
  },
  ACCOUNT_QUEUE_LENGTH: {
    description:
      "Length of the queue for one account; when it is full, further requests of the account are answered with 503",
    fallback: "200",
    parse: integer(0, 100_000),
  },
  QUEUE_SECONDS: {
    description: "How long a request may wait for a database connection",
    fallback: "20",
    parse: integer(1, 600),
  },
  STATEMENT_TIMEOUT_SECONDS: {
    description: "Timeout of each database statement of a request",
    fallback: "15",
    parse: integer(1, 600),
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
    fallback: "",
    secret: true,
    parse: smtpUrl,
  },
  MAIL_FROM: {
    description:
      "Sender of mails, as `name@example.com` or `Name <name@example.com>`; required with `SMTP_URL`",
    fallback: "",
    parse: mailbox,
  },
  HOLDER_NAMES: {
    description:
      "Which holders of tenements are shown by their names: `all`, or `companies` for those that are known to be no natural persons",
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
  RAW_FILES: {
    description: "How many of the files that were fetched are kept of each source, as they came",
    fallback: "30",
    parse: integer(1, 1_000_000),
  },
  ACTOR: {
    description:
      "Who changes accounts and tokens on the command line, for the audit log; empty for the name of the operating system's user",
    fallback: "",
    parse: text,
  },
  SHUTDOWN_SECONDS: {
    description:
      "How long requests in progress may take to end when the service is stopped; then they are aborted. Docker kills a container ten seconds after `docker stop`",
    fallback: "6",
    parse: integer(0, 600),
  },
  SHUTDOWN_DELAY_SECONDS: {
    description:
      "How much of that time the service still accepts connections, while `/health/ready` answers 503 and every response closes its connection: as long as a load balancer needs to detect it",
    fallback: "1",
    parse: integer(0, 600),
  },
} as const satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof settings
export type Config = Readonly<{
  [Name in SettingName]: ReturnType<(typeof settings)[Name]["parse"]>
}>

/** The environment contains invalid settings. The message names each and says why. */
export class ConfigError extends Error {
  override readonly name = "ConfigError"
}

/**
 * Reads all settings. Unknown variables are ignored.
 * @throws ConfigError that lists every invalid setting; it never contains a secret's value
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = []
  const config: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries<Setting<unknown>>(settings)) {
    const given = environment[name] ?? setting.fallback
    try {
      config[name] = setting.parse(given)
    } catch (error) {
      // With an @ it may be a URL with a password, although it should not be.
      const shownValue =
        setting.secret || given.includes("@") ? "" : ` (it is ${JSON.stringify(given)})`
      const reason = error instanceof Error ? error.message : String(error)
      faults.push(`${name} ${reason}${shownValue}`)
    }
  }
  if (faults.length === 0) faults.push(...faultsBetween(config as Config))
  if (faults.length > 0) throw new ConfigError(`Cannot use the settings:\n${faults.join("\n")}`)
  return Object.freeze(config) as Config
}

/** Settings that don't go together. */
function faultsBetween({ SIGNUP, SMTP_URL, MAIL_FROM, BASE_URL }: Config): string[] {
  const faults: string[] = []
  if (SIGNUP === "open" && SMTP_URL === null) {
    faults.push("SIGNUP=open requires SMTP_URL: email addresses are confirmed by a mail")
  }
  if (SMTP_URL !== null && MAIL_FROM === null) faults.push("SMTP_URL requires MAIL_FROM")
  if (SMTP_URL !== null && BASE_URL === "") {
    faults.push("SMTP_URL requires BASE_URL: mailed links begin with it")
  }
  return faults
}

/** The README's table of settings. */
export const settingsTable = (): string =>
  [
    "| setting | default | what it does |",
    "|---|---|---|",
    ...Object.entries<Setting<unknown>>(settings).map(
      ([name, { fallback, description }]) =>
        `| \`${name}\` | ${fallback === "" ? "" : `\`${fallback}\``} | ${description} |`,
    ),
  ].join("\n")
