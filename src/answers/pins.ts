/**
 * Pins the release of a page sequence, so that incrementing `page` gives each record exactly once while
 * data is being published. Page 1 shows the newest release and pins it; later pages show the pinned one,
 * until 15 minutes after the last page was read.
 *
 * The pin is one key with an expiry in Redis, so that all processes know it, and also in the memory of
 * the process that used it last, for the time that Redis does not answer. A page 1 always moves the pin
 * and never deletes it: the memory of another process may still have the one before.
 */
import { LRUCache } from "lru-cache"
import { type Release, releaseKey } from "../db/reader/releases.ts"
import type { RedisConnection } from "../redis/connection.ts"

export interface Pins {
  /** The release that the next page of a sequence shows. */
  pinned(sequence: string): Promise<Release | undefined>
  /** A page 1 replaces the pin. A later page that found none sets it, if there is still none. */
  pin(sequence: string, release: Release, mode: "replace" | "if absent"): Promise<void>
}

export const pinSeconds = 15 * 60
const expiry = String(pinSeconds)

/** About what one takes in memory, with its key. */
const pinBytes = 500

export interface PinsOptions {
  /** Shares the pins between processes; null for one process alone. */
  redis: Pick<RedisConnection, "send"> | null
  /** Beyond it, the pins that were read least recently are dropped. */
  maxBytes: number
  steadyMs: () => number
}

export function createPins({ redis, maxBytes, steadyMs }: PinsOptions): Pins {
  const own = new LRUCache<string, Release>({
    max: Math.ceil(maxBytes / pinBytes),
    ttl: pinSeconds * 1000,
    ttlResolution: 0,
    updateAgeOnGet: true,
    perf: { now: steadyMs },
  })
  const share = (sequence: string, release: Release, ...options: string[]) =>
    redis?.send("SET", keyOf(sequence), JSON.stringify(release), "EX", expiry, ...options)

  return {
    pinned: async (sequence) => {
      const before = own.get(sequence)
      const reply = await redis?.send("GETEX", keyOf(sequence), "EX", expiry)
      const shared = typeof reply === "string" ? readRelease(reply) : undefined
      // Redis has lost it, as in a restart.
      if (reply === null && before) share(sequence, before, "NX")
      // Otherwise a page 1 has moved it meanwhile.
      if (shared && own.get(sequence) === before) own.set(sequence, shared)
      return shared ?? before
    },

    pin: async (sequence, release, mode) => {
      const before = own.get(sequence)
      if (mode === "if absent") {
        if (before) return
        own.set(sequence, release)
        share(sequence, release, "NX")
        return
      }
      const written = share(sequence, release)
      // To read it has begun its time anew.
      if (before && releaseKey(before) === releaseKey(release)) return
      own.set(sequence, release)
      // Page 2 may be read by another process as soon as page 1 has arrived.
      await written
    },
  }
}

const keyOf = (sequence: string): string => `mds:pin:${sequence}`

function readRelease(text: string): Release | undefined {
  const { id, publishedAt, identity }: Partial<Record<keyof Release, unknown>> = JSON.parse(text)
  return typeof id === "number" && typeof publishedAt === "number" && typeof identity === "string"
    ? { id, publishedAt, identity }
    : undefined
}
