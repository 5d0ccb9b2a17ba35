/** Builds the parts of the app and the server: pools, windows, caches, connections. */
import type { AppOptions } from "../../app.ts"
import { ifUnavailable } from "../../data/db/pool/unavailable.ts"
import { createReleases } from "../../data/reader/releases.ts"
import { sharedRead } from "../../data/reader/shared-read.ts"
import { createSourceReadings } from "../../data/reader/source-readings.ts"
import { describeError } from "../log/log.ts"
import type { LogBufferReadings } from "../log/log-buffer.ts"
import { countUnauthenticated } from "../log/unauthenticated-requests.ts"
import { settleWithin } from "../text/settle-within.ts"
import { createAccess } from "./access.ts"
import { type Alerts, startWatches } from "./alerts.ts"
import { type BaseOptions, createBase } from "./base.ts"
import { followChanges } from "./changes.ts"
import { createServiceMetrics } from "./metrics.ts"
import { createResponseParts } from "./responses.ts"

export interface PartsOptions extends BaseOptions {
  /** Reads the state of the log's buffer, if it has one. */
  logBuffer?: () => LogBufferReadings
  /** Counts the sources that the process has fetched, if it does. */
  fetches?: () => Readonly<Record<string, number>>
}

/** The readiness endpoint needs no token, so it queries the database at most once a second. */
const checkEveryMs = 1_000
/** The time limit of closing, since the database may not respond. */
const closeWithinMs = 2_000
/** The time limit of the last writes: shorter, so that their failure is logged before closing ends. */
const writeWithinMs = 1_500

/**
 * Waits for one attempt to connect to Redis and to the notifications of changes, at most a few seconds. The
 * service starts without either.
 */
export async function startParts(options: PartsOptions) {
  const { config, log, logBuffer, fetches, now } = options
  const base = createBase(options)
  const { database, redis } = base
  const access = createAccess(base)
  const responses = createResponseParts(base)
  let alerts: Alerts | undefined
  const wakeAlerts = () => alerts?.wake()
  const notifications = followChanges(
    { ...access.parts, ...responses.parts, ...responses.measured, wakeAlerts },
    { url: database.directUrl, log },
  )
  database.listen({ onLost: notifications.markUnavailable })
  await Promise.all([redis?.ready, notifications.ready])

  let stopping = false
  const unauthenticated = countUnauthenticated(log)
  // On another pool, because waiting token lookups must not make the service look unready.
  const checked = createReleases(database.pools.accounts)
  const readiness = sharedRead(checkEveryMs, now, () =>
    checked.current("readiness").catch(ifUnavailable(null)),
  )
  const sourceReadings = createSourceReadings(database.pools.accounts, now, (error) =>
    log.warn("the state of the sources was not read", describeError(error)),
  )
  const metrics = createServiceMetrics({
    ...base,
    ...access.parts,
    ...responses.measured,
    notifications,
    unauthenticated,
    logBuffer,
    fetches,
    isReady: async () => !stopping && (await readiness()) !== null,
    sourceReadings,
  })

  async function closeAll(): Promise<void> {
    await Promise.all([access.stop(writeWithinMs), notifications.stop(), alerts?.stop()])
    redis?.close()
    await database.close()
  }

  const app: AppOptions = {
    ...access.parts,
    ...responses.parts,
    readiness,
    sourceReadings,
    isStopping: () => stopping,
    scrape: metrics.scrape,
    requestMetrics: metrics.requests,
    partStates: () => {
      const { primary, replica } = database.states()
      return {
        database: conditionOf(primary),
        replica: replica === null ? "unused" : conditionOf(replica),
        redis: redis === null ? "unused" : conditionOf(redis.isResponding),
        notifications: notifications.listening ? "listening" : "lost",
        fetches: fetches?.() ?? "unused",
      }
    },
    hasAdminPort: config.ADMIN_PORT !== 0,
    baseUrl: config.BASE_URL,
    mapTiles: config.MAP_TILES,
    mapAttribution: config.MAP_ATTRIBUTION,
    trustedProxies: config.TRUSTED_PROXIES,
    unauthenticated,
    log,
    now,
  }

  return {
    app,
    /** Watches begin with the service's address, which is known once it listens. */
    startWatches: (address: string): void => {
      const url = config.BASE_URL || address
      alerts = startWatches(base, access.mailer, url, metrics.watches)
    },
    /** From now on the service reports that it is not ready, and begins no deliveries, which its end would cut. */
    beginStopping: () => {
      stopping = true
      alerts?.stop()
    },
    /** Aborts the exports in progress, so that none looks complete. */
    abortExports: responses.measured.exportSlots.stop,
    /** Writes pending counts and mails, and closes every connection. */
    close: async (): Promise<void> => {
      unauthenticated.stop()
      metrics.stop()
      const late = () => new Error(`Connections are still open after ${closeWithinMs} ms`)
      await settleWithin(closeWithinMs, closeAll(), late).catch((error: unknown) =>
        log.warn("connections were not closed in time", describeError(error)),
      )
    },
  }
}

const conditionOf = (isResponding: boolean) => (isResponding ? "responding" : "lost")
