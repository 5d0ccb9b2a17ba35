/**
 * The page sequences that several processes share through Redis: one value for each query, changed by
 * compare-and-set.
 */
import type { RedisConnection } from "../../redis/connection.ts"
import { redisScript } from "../../redis/script.ts"
import { merged, type SequenceList, sequenceIdleMs } from "./page-sequence.ts"

export interface SharedPageSequences {
  /**
   * Makes a change, and returns what it returned; undefined if Redis does not answer.
   * @param own what this process knows and Redis may not, as after a restart or an outage
   */
  change<T extends { sequences: SequenceList }>(
    query: string,
    own: () => SequenceList,
    to: (sequences: SequenceList) => T,
  ): Promise<T | undefined>
}

const read = redisScript(`return redis.call("GET", KEYS[1])`)

const replace = redisScript(`
if (redis.call("GET", KEYS[1]) or "") ~= ARGV[1] then return 0 end
redis.call("SET", KEYS[1], ARGV[2], "PX", ARGV[3])
return 1`)

/**
 * An attempt fails only because another change succeeded, so this many changes can be made at once: a
 * sequence that has just begun must be known before its next page.
 */
const attempts = 50

export function createSharedPageSequences(
  redis: Pick<RedisConnection, "run">,
): SharedPageSequences {
  return {
    change: async (query, own, to) => {
      const keys = [`mds:sequences:${query}`]
      for (let attempt = 1; ; attempt++) {
        const text = await redis.run(read, keys, [])
        if (text === undefined) return undefined
        const known = typeof text === "string" ? text : ""
        const changed = to(merged(known === "" ? [] : JSON.parse(known), own()))
        if (changed.sequences.length === 0 || attempt === attempts) return changed
        const written = JSON.stringify(changed.sequences)
        const replaced = await redis.run(replace, keys, [known, written, String(sequenceIdleMs)])
        if (replaced !== 0) return changed
      }
    },
  }
}
