/** The running service: its parts, its app and its server. */

import { observe } from "../api/plugins/observe.ts"
import { createAdminApp, createApp } from "../app.ts"
import { cannotListen } from "./listen-error.ts"
import { type RunningServer, type ServerOptions, startServer } from "./server.ts"
import { type PartsOptions, startParts } from "./service/parts.ts"
import { localAddress } from "./text/service-addresses.ts"

/**
 * The time in which a stopping service still accepts connections, while readiness returns 503 and every
 * response closes its connection. A proxy that checks each second notices within half of it.
 */
const shutdownDelaySeconds = 2

export interface StopOptions {
  delaySeconds?: number
}

export interface Service {
  /** Its URL on this machine. */
  url: string
  /** Reports that it is not ready, completes the requests in progress, then closes every connection. */
  stop(options?: StopOptions): Promise<void>
}

/** @throws ListenError */
export async function startService(options: PartsOptions): Promise<Service> {
  const { HOST, ADMIN_PORT, SHUTDOWN_SECONDS } = options.config
  const { log } = options
  const parts = await startParts(options)
  const { isStopping } = parts.app
  let admin: RunningServer | undefined
  // Requests on the operators' port are neither logged nor traced.
  if (ADMIN_PORT !== 0) admin = await listen("ADMIN_PORT", { app: createAdminApp(parts.app) })
  const server = await listen("PORT", { app: createApp(parts.app), observe: observe(parts.app) })

  const url = localAddress(HOST, server.port)
  parts.startWatches(url)

  /** Closes all connections if it cannot listen. */
  async function listen(
    setting: "PORT" | "ADMIN_PORT",
    served: Pick<ServerOptions, "app" | "observe">,
  ) {
    const port = options.config[setting]
    try {
      return startServer({ ...served, hostname: HOST, port, isStopping, log })
    } catch (error) {
      await admin?.close()
      await parts.close()
      throw cannotListen(HOST, port, setting, error)
    }
  }

  return {
    url,
    stop: async ({ delaySeconds = shutdownDelaySeconds } = {}) => {
      parts.beginStopping()
      const beforeSeconds = Math.min(delaySeconds, SHUTDOWN_SECONDS)
      await Bun.sleep(beforeSeconds * 1000)
      await server.stop((SHUTDOWN_SECONDS - beforeSeconds) * 1000, parts.abortExports)
      await parts.close()
      // Last, so that operators can watch the shutdown.
      await admin?.close()
    },
  }
}
