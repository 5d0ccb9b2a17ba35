/**
 * The settings: each declared once, read from the environment once, here and nowhere else. The
 * README's table is made from the same declarations.
 */
import { resolve } from "node:path"
import {
  checkBaseAddress,
  checkPostgresAddress,
  checkRedisAddress,
} from "./text/service-addresses.ts"

interface Setting<T> {
  /** What it does, for the README. */
  description: string
  /** The text that holds where the environment has none. */
  fallback: string
  /** Must not be printed. */
  secret?: boolean
  /** @throws Error that says what is expected */
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

const text = (value: string): string => value

/** Empty means none. */
const postgresUrl = (value: string): string | null => {
  if (value === "") return null
  checkPostgresAddress(value)
  return value
}

/** Empty means none. */
const redisUrl = (value: string): string | null => {
  if (value === "") return null
  checkRedisAddress(value)
  return value
}

const baseUrl = (value: string): string => {
  if (value === "") return ""
  checkBaseAddress(value)
  return value.replace(/\/+$/, "")
}

export const settings = {
  PORT: {
    description: "Port to listen on; 0 takes any free one",
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
      "The service's public address, which `Link` headers and printed examples then carry; without it links are relative",
    fallback: "",
    parse: baseUrl,
  },
  DATABASE_URL: {
    description:
      "A PostgreSQL 15 or later, as `postgres://user:password@host/database`; empty for the embedded one",
    fallback: "",
    secret: true,
    parse: postgresUrl,
  },
  DATA_DIR: {
    description:
      "Where the embedded PostgreSQL keeps its data, and loads the rows that they reject",
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
    description: "Length of the sliding window of requests, for trials",
    fallback: "3600",
    parse: integer(1, 86_400),
  },
  WINDOW_MEMORY_MB: {
    description:
      "Memory that the windows of accounts may take in a process, and those of addresses an eighth of it; beyond, those longest without a request are forgotten",
    fallback: "512",
    parse: integer(1, 1_000_000),
  },
  CACHE_MEMORY_MB: {
    description:
      "Memory that all caches of a process together may take: totals, page positions, tokens, crawls; each forgets what was used longest ago",
    fallback: "64",
    parse: integer(1, 1_000_000),
  },
  REDIS_URL: {
    description:
      "A Redis or Valkey through which several processes share the windows and the crawls, as `redis://user:password@host:6379/0`; empty for one process alone",
    fallback: "",
    secret: true,
    parse: redisUrl,
  },
  REDIS_TIMEOUT_MS: {
    description:
      "A process that gets no answer from Redis in this time goes on with its own windows",
    fallback: "50",
    parse: integer(1, 60_000),
  },
  LOOKUP_CONNECTIONS: {
    description:
      "Database connections that look up tokens, releases and single records; an account has at most half of them at once, as of those below",
    fallback: "4",
    parse: integer(1, 500),
  },
  REQUEST_CONNECTIONS: {
    description: "Database connections that read pages of lists",
    fallback: "8",
    parse: integer(1, 500),
  },
  COUNT_CONNECTIONS: {
    description: "Database connections that count the records of lists",
    fallback: "4",
    parse: integer(1, 500),
  },
  EXPORT_CONNECTIONS: {
    description: "Database connections that read exports with `all=true`",
    fallback: "3",
    parse: integer(1, 100),
  },
  MAX_EXPORTS: {
    description:
      "Exports under way at once, each of which takes some memory; an account has at most a fifth of them, more wait their turn",
    fallback: "100",
    parse: integer(1, 10_000),
  },
  QUEUE_LENGTH: {
    description:
      "Statements of all accounts that may wait for a connection of one kind; where more come, the account that has most of them waiting is answered 503",
    fallback: "1000",
    parse: integer(0, 100_000),
  },
  ACCOUNT_QUEUE_LENGTH: {
    description: "The same of one account; where more come, it is answered 503",
    fallback: "200",
    parse: integer(0, 100_000),
  },
  QUEUE_SECONDS: {
    description: "The longest that a request may wait for its turn at the database",
    fallback: "20",
    parse: integer(1, 600),
  },
  STATEMENT_TIMEOUT_SECONDS: {
    description: "The longest that a request's statement may run",
    fallback: "15",
    parse: integer(1, 600),
  },
  EXPORT_STALL_SECONDS: {
    description: "After so long without reading, the receiver of an export is disconnected",
    fallback: "300",
    parse: integer(1, 86_400),
  },
  ACTOR: {
    description:
      "Who changes accounts and tokens on the command line, for the audit; empty for the name of the system's user",
    fallback: "",
    parse: text,
  },
  SHUTDOWN_SECONDS: {
    description:
      "How long requests under way may take to end when the service is stopped; what takes longer is cut off. Docker kills what has not ended ten seconds after it was told to",
    fallback: "6",
    parse: integer(0, 600),
  },
  SHUTDOWN_DELAY_SECONDS: {
    description:
      "How much of that time the service still takes connections, while `/health/ready` answers 503 and every answer ends its connection: as long as a load balancer takes to notice",
    fallback: "1",
    parse: integer(0, 600),
  },
} as const satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof settings
export type Config = Readonly<{
  [Name in SettingName]: ReturnType<(typeof settings)[Name]["parse"]>
}>

/** The environment has settings that can't be used. The message names each and says why. */
export class ConfigError extends Error {
  override readonly name = "ConfigError"
}

/**
 * Reads all settings. Unknown variables are left alone.
 * @throws ConfigError that lists every fault; it never repeats a secret's value
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = []
  const config: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries<Setting<unknown>>(settings)) {
    const given = environment[name] ?? setting.fallback
    try {
      config[name] = setting.parse(given)
    } catch (error) {
      // With an @ it may be an address with a password, though it should not be.
      const shown = setting.secret || given.includes("@") ? "" : ` (it is ${JSON.stringify(given)})`
      faults.push(`${name} ${(error as Error).message}${shown}`)
    }
  }
  if (faults.length > 0) throw new ConfigError(`Cannot use the settings:\n${faults.join("\n")}`)
  return Object.freeze(config) as Config
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
