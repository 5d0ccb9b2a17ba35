/** The running service: its pools, its windows, its app and its server, wired from the settings. */
import { createCredentials } from "./access/credentials.ts"
import { createWindowStore } from "./access/sliding-window.ts"
import { createApp } from "./app.ts"
import type { Config } from "./config.ts"
import { keepHolding } from "./db/held-releases.ts"
import { createPool } from "./db/pool.ts"
import { createReader } from "./db/reader.ts"
import { createReleases } from "./db/releases.ts"
import { describeError, type Log } from "./log.ts"
import { createCrawls } from "./routes/crawls.ts"
import { startServer } from "./server.ts"

export interface ServiceOptions {
  config: Config
  /** The database to serve: the settings' own or the embedded one. */
  databaseUrl: string
  log: Log
  now: () => Date
}

export interface Service {
  /** Where it is reached on this machine. */
  url: string
  /** Answers what is under way, then closes every connection. */
  stop(): Promise<void>
}

const housekeepingConnections = 2

export function startService({ config, databaseUrl, log, now }: ServiceOptions): Service {
  const statementTimeoutMs = config.STATEMENT_TIMEOUT_SECONDS * 1000
  const queueLength = config.QUEUE_LENGTH
  const pool = (name: string, connections: number) =>
    createPool(databaseUrl, { name, connections, queueLength, statementTimeoutMs })
  const requests = pool("requests", config.REQUEST_CONNECTIONS)
  const exports = pool("exports", config.EXPORT_CONNECTIONS)
  const housekeeping = pool("housekeeping", housekeepingConnections)

  const windowMs = config.RATE_WINDOW_SECONDS * 1000
  const windowBytes = config.WINDOW_MEMORY_MB * 1024 * 1024
  const releases = createReleases(requests)
  const crawls = createCrawls()
  const app = createApp({
    credentials: createCredentials(requests, housekeeping),
    windows: {
      accounts: createWindowStore({ windowMs, maxBytes: windowBytes }),
      addresses: createWindowStore({ windowMs, maxBytes: Math.ceil(windowBytes / 8) }),
      windowMs,
    },
    releases,
    reader: createReader(requests),
    exporter: createReader(exports),
    crawls,
    baseUrl: config.BASE_URL,
    exportStallMs: config.EXPORT_STALL_SECONDS * 1000,
    log,
    now,
  })
  const server = startServer({
    app,
    hostname: config.HOST,
    port: config.PORT,
    trustedProxies: config.TRUSTED_PROXIES,
    log,
  })
  const holds = keepHolding(
    housekeeping,
    () => crawls.oldest(now().getTime()),
    (error) => log.warn("the releases being read were not noted", describeError(error)),
  )
  const shown = config.HOST.includes(":") ? `[${config.HOST}]` : config.HOST
  return {
    url: `http://${shown === "0.0.0.0" ? "localhost" : shown}:${server.port}`,
    stop: async () => {
      await server.stop(config.SHUTDOWN_SECONDS * 1000)
      await holds.stop()
      await Promise.all([requests, exports, housekeeping].map((each) => each.close()))
    },
  }
}
