/** The running service: its parts, its app and its server. */
import { createApp } from "./app.ts"
import { ListenError } from "./listen-error.ts"
import { startServer } from "./server.ts"
import { type PartsOptions, startParts } from "./service/parts.ts"
import { localAddress } from "./text/service-addresses.ts"

export interface Service {
  /** Where it is reached on this machine. */
  url: string
  /** Reports that it is not ready, completes the requests in progress, then closes every connection. */
  stop(): Promise<void>
}

/** @throws ListenError */
export async function startService(options: PartsOptions): Promise<Service> {
  const { HOST, PORT, SHUTDOWN_SECONDS, SHUTDOWN_DELAY_SECONDS } = options.config
  const parts = await startParts(options)
  const { isStopping } = parts.app
  const server = await listen()

  /** Where it cannot listen, it leaves no connection behind. */
  async function listen() {
    const app = createApp(parts.app)
    try {
      return startServer({ app, hostname: HOST, port: PORT, isStopping, log: options.log })
    } catch (error) {
      await parts.close()
      const reason = error instanceof Error ? error.message : String(error)
      const message = `Cannot listen on ${HOST.includes(":") ? `[${HOST}]` : HOST}:${PORT}: ${reason}. Check HOST and PORT`
      throw new ListenError(message, { cause: error })
    }
  }

  return {
    url: localAddress(HOST, server.port),
    stop: async () => {
      parts.beginStopping()
      const delaySeconds = Math.min(SHUTDOWN_DELAY_SECONDS, SHUTDOWN_SECONDS)
      await Bun.sleep(delaySeconds * 1000)
      await server.stop((SHUTDOWN_SECONDS - delaySeconds) * 1000, parts.abortExports)
      await parts.close()
    },
  }
}
