import type { Credentials } from "../access/credentials.ts"
import { subscribeToChanges } from "../db/notifications.ts"
import { describeError, type Log } from "../log/log.ts"

/** Drops what is cached of tokens as soon as their accounts change. Returns once the first attempt to subscribe has ended. */
export async function followAccountChanges(
  credentials: Credentials,
  { databaseUrl, log }: { databaseUrl: string; log: Log },
) {
  let listening = false
  let losses = 0
  const set = (subscribed: boolean): void => {
    listening = subscribed
    credentials.setSubscribed(subscribed)
  }
  const { ready, stop } = subscribeToChanges(databaseUrl, {
    onListening: () => {
      set(true)
      if (losses > 0) log.info("notifications of changed accounts arrive again")
    },
    onChange: credentials.invalidate,
    onLost: (error) => {
      set(false)
      losses++
      log.warn(
        "notifications of changed accounts do not arrive: each request looks its token up",
        describeError(error),
      )
    },
  })
  await ready
  return {
    get listening() {
      return listening
    },
    stop,
  }
}
