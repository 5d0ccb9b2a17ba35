/** Subscribers to the notifications of a test database. */
import { subscribeToChanges } from "../../../src/data/db/notifications.ts"

/** Subscribes, and records every call of its handlers in order. */
export function recordingSubscriber(url: string) {
  const events: string[] = []
  const { stop, markUnavailable } = subscribeToChanges(url, {
    onListening: () => events.push("listening"),
    onAccessChange: (accountId) => events.push(`changed ${accountId}`),
    onRelease: () => events.push("released"),
    onLost: () => events.push("lost"),
  })
  return { events, stop, markUnavailable }
}
