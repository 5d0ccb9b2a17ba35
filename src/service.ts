/** The running service: its parts, its app and its server. */
import { createApp } from "./app.ts"
import { startServer } from "./server.ts"
import { type PartsOptions, startParts } from "./service/parts.ts"

export type ServiceOptions = PartsOptions

export interface Service {
  /** Where it is reached on this machine. */
  url: string
  /** Reports that it is not ready, completes the requests in progress, then closes every connection. */
  stop(): Promise<void>
}

export async function startService(options: ServiceOptions): Promise<Service> {
  const { HOST, PORT, SHUTDOWN_SECONDS, SHUTDOWN_DELAY_SECONDS } = options.config
  const parts = await startParts(options)
  const { isStopping } = parts.app
  const server = await listen()
  const host = HOST.includes(":") ? `[${HOST}]` : HOST

  /** A port that is taken leaves no connection behind. */
  async function listen() {
    const app = createApp(parts.app)
    try {
      return startServer({ app, hostname: HOST, port: PORT, isStopping, log: options.log })
    } catch (error) {
      await parts.close()
      throw error
    }
  }

  return {
    url: `http://${host === "0.0.0.0" ? "localhost" : host}:${server.port}`,
    stop: async () => {
      parts.beginStopping()
      const delaySeconds = Math.min(SHUTDOWN_DELAY_SECONDS, SHUTDOWN_SECONDS)
      await Bun.sleep(delaySeconds * 1000)
      await server.stop((SHUTDOWN_SECONDS - delaySeconds) * 1000)
      await parts.close()
    },
  }
}
