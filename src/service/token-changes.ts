import type { Credentials } from "../access/credentials.ts"
import { keepListening } from "../db/notifications.ts"
import { describeError, type Log } from "../log/log.ts"

/** Keeps what is known of tokens in step with the database. */
export async function followNotices(
  credentials: Credentials,
  { databaseUrl, log }: { databaseUrl: string; log: Log },
) {
  let listening = false
  let losses = 0
  const set = (comes: boolean): void => {
    listening = comes
    credentials.setNoticed(comes)
  }
  const { ready, stop } = keepListening(databaseUrl, {
    onListening: () => {
      set(true)
      if (losses > 0) log.info("notices of changed accounts come again")
    },
    onChange: credentials.forget,
    onLost: (error) => {
      set(false)
      losses++
      log.warn(
        "notices of changed accounts do not come: each request looks its token up",
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
