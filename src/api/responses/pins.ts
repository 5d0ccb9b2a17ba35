/**
 * Pins the release of a page sequence, so that incrementing `page` returns each record exactly once while
 * releases are published. Page 1 shows the newest release and pins it; later pages show the pinned release.
 * A pin expires 15 minutes after the last page was read.
 *
 * Redis shares the pins between processes. Each process also keeps the pins that it used, for outages of
 * Redis. A page 1 always moves the pin and never deletes it, because another process may still have the
 * old one in memory.
 */
import { LRUCache } from "lru-cache"
import { type Release, releaseKey } from "../../data/reader/releases.ts"
import type { RedisConnection } from "../../system/redis/connection.ts"

export interface Pins {
  /** Returns the release that the next page of a sequence shows. */
  pinned(sequence: string): Promise<Release | undefined>
  /** Page 1 replaces the pin. A later page without a pin sets it, unless another page has. */
  pin(sequence: string, release: Release, mode: "replace" | "if absent"): Promise<void>
}

export const pinSeconds = 15 * 60
const expiry = String(pinSeconds)

/** The approximate memory of a pin and its key. */
const pinBytes = 500

export interface PinsOptions {
  /** Shares the pins between processes; null for a single process. */
  redis: Pick<RedisConnection, "send"> | null
  /** Beyond this, the least recently read pins are evicted. */
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
      const shared: Release | undefined = typeof reply === "string" ? JSON.parse(reply) : undefined
      // Redis has lost the pin, for example by a restart.
      if (reply === null && before) share(sequence, before, "NX")
      // Unless a page 1 has moved the pin meanwhile.
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
      // The `get` above has renewed its expiry.
      if (before && releaseKey(before) === releaseKey(release)) return
      own.set(sequence, release)
      // Another process may serve page 2 as soon as the client has page 1.
      await written
    },
  }
}

const keyOf = (sequence: string): string => `mds:pin:${sequence}`
