/**
 * Whether requests reach the database where they go through a connection pooler, while the hosts are asked
 * past it. A pooler accepts a session even while all its connections to the database are busy, so a long
 * statement is not taken for its loss.
 */
import { settleWithin } from "../../text/settle-within.ts"
import { singleConnection } from "../connection.ts"
import { HostUnavailable, noAnswerWithin } from "../pool/unavailable.ts"
import type { Host } from "./host.ts"

export interface Pooler {
  /** Opens a session, in bounded time. @throws HostUnavailable where there is none to be had */
  ensureAnswering(): Promise<void>
  /** By the last check; unused where the current primary is reached without a pooler. */
  readonly state: "unused" | "answering" | "lost"
}

const answerWithinMs = 1_000

/** @param current the host that is the primary, or was it last */
export function createPooler(current: () => Host): Pooler {
  let state: Pooler["state"] = "unused"
  return {
    ensureAnswering: async () => {
      const { address, outage } = current()
      // While the primary itself is lost, standbys are read without the pooler.
      state = "unused"
      if (address.url === address.directUrl || outage) return
      try {
        await openSession(address.url)
        state = "answering"
      } catch (cause) {
        state = "lost"
        throw new HostUnavailable("The connection pooler does not answer", { cause })
      }
    },
    get state() {
      return state
    },
  }
}

async function openSession(url: string): Promise<void> {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const client = singleConnection(url, {
    connection: { application_name: "mds pooler" },
    // The settings of the session come with its beginning.
    onparameter: () => begin(),
  })
  const answered = client.unsafe("select 1").execute()
  try {
    await settleWithin(answerWithinMs, Promise.race([begun, answered]), noAnswerWithin)
  } finally {
    // The answer may wait for a connection of the pooler.
    answered.catch(() => {})
    await client.end({ timeout: 0 })
  }
}
