/** A service on a server of its own, whose network a test can break. */
import { ownServer } from "../support/own-server.ts"
import { fillWith } from "../support/postgres.ts"
import { awkwardPublished, testService } from "../support/service.ts"
import { interruptibleProxy } from "./interruptible-proxy.ts"

export type BreakableService = Awaited<ReturnType<typeof breakableService>>

export async function breakableService(settings: Record<string, string> = {}) {
  const server = await ownServer()
  const proxy = await interruptibleProxy({
    host: "127.0.0.1",
    port: Number(new URL(server.url).port),
  })
  const note = await fillWith(awkwardPublished, server.url)
  const service = await testService({
    beside: { database: { url: server.url, note, drop: async () => {} } },
    settings,
    holdsLocks: false,
    reach: (databaseUrl) => databaseUrl.replace(/:\d+\//, `:${proxy.port}/`),
  })
  const stop = async (): Promise<void> => {
    server.thaw()
    proxy.mend()
    await service.stop()
    proxy.close()
    await server.stop()
  }
  return { server, proxy, service, stop }
}
