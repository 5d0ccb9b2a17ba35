/** Subscribers to the notifications of a test database, and an unreliable way to it. */
import { subscribeToChanges } from "../../src/db/notifications.ts"
import { interruptibleProxy } from "../contract/interruptible-proxy.ts"

/** Subscribes, and records every call of its handlers in order. */
export function recordingSubscriber(url: string) {
  const events: string[] = []
  const { stop, markUnavailable } = subscribeToChanges(url, {
    onListening: () => events.push("listening"),
    onChange: (accountId) => events.push(`changed ${accountId}`),
    onRelease: () => events.push("released"),
    onLost: () => events.push("lost"),
  })
  return { events, stop, markUnavailable }
}

/** A proxy before the database, and the database's URL through it. */
export async function throughProxy(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl)
  const proxy = await interruptibleProxy({ host: hostname, port: Number(port) })
  const through = new URL(databaseUrl)
  through.host = `127.0.0.1:${proxy.port}`
  return { proxy, url: through.href }
}
