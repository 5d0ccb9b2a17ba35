/** The running service: its parts, its app and its server. */
import { createAdminApp, createApp } from "./app.ts"
import { cannotListen } from "./listen-error.ts"
import { type RunningServer, type ServedApp, startServer } from "./server.ts"
import { leavePort } from "./service/leave-port.ts"
import { type PartsOptions, startParts } from "./service/parts.ts"
import { boundUnsentBytes } from "./service/unsent-bytes.ts"
import { localAddress } from "./text/service-addresses.ts"

export interface ServiceOptions extends PartsOptions {
  /**
   * Whether other processes may listen on the port, as the workers of one service do. Otherwise a second
   * process is refused: each would have limits of its own.
   */
  reusePort?: boolean
}

export interface StopOptions {
  /**
   * Another process serves on the port from now on. So the service stays ready, and connections that are
   * being opened are left to that process.
   */
  isReplaced?: boolean
  /** How long connections are still accepted. */
  delaySeconds?: number
}

export interface Service {
  /** Where it is reached on this machine. */
  url: string
  /** Reports that it is not ready, completes the requests in progress, then closes every connection. */
  stop(options?: StopOptions): Promise<void>
}

/** @throws ListenError */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { HOST, ADMIN_PORT, SHUTDOWN_SECONDS, SHUTDOWN_DELAY_SECONDS } = options.config
  const { log, reusePort = false } = options
  const parts = await startParts(options)
  let stopping = false
  const isStopping = () => stopping
  let admin: RunningServer | undefined
  if (ADMIN_PORT !== 0) admin = await listen(createAdminApp(parts.app), "ADMIN_PORT")
  const server = await listen(createApp(parts.app), "PORT")

  /** Where it cannot listen, it leaves no connection behind. */
  async function listen(app: ServedApp, setting: "PORT" | "ADMIN_PORT") {
    const port = options.config[setting]
    try {
      const started = startServer({ app, hostname: HOST, port, reusePort, isStopping, log })
      boundUnsentBytes(started.port, log)
      return started
    } catch (error) {
      await admin?.close()
      await parts.close()
      throw cannotListen(HOST, port, setting, error)
    }
  }

  return {
    url: localAddress(HOST, server.port),
    stop: async ({ isReplaced = false, delaySeconds = SHUTDOWN_DELAY_SECONDS } = {}) => {
      stopping = true
      if (!isReplaced) parts.beginStopping()
      const beforeSeconds = Math.min(delaySeconds, SHUTDOWN_SECONDS)
      await Bun.sleep(beforeSeconds * 1000)
      if (isReplaced) await leavePort(server.port, log)
      await server.stop((SHUTDOWN_SECONDS - beforeSeconds) * 1000, parts.abortExports)
      await parts.close()
      // Operators see to the end what it waits for.
      await admin?.close()
    },
  }
}
