/**
 * The crawls that several processes know together, through Redis: for each query one text, which
 * whoever changes it puts in place of the very text that the change was made from.
 */
import type { RedisConnection } from "../../redis/connection.ts"
import { redisScript } from "../../redis/script.ts"
import { type CrawlList, crawlIdleMs, merged } from "./page-sequence.ts"

export interface SharedCrawls {
  /**
   * Makes a change, and gives what it gave; undefined where Redis does not answer.
   * @param own what this process knows and Redis may not, as after its restart or an outage
   */
  change<T extends { crawls: CrawlList }>(
    query: string,
    own: () => CrawlList,
    to: (crawls: CrawlList) => T,
  ): Promise<T | undefined>
}

const read = redisScript(`return redis.call("GET", KEYS[1])`)

const replace = redisScript(`
if (redis.call("GET", KEYS[1]) or "") ~= ARGV[1] then return 0 end
redis.call("SET", KEYS[1], ARGV[2], "PX", ARGV[3])
return 1`)

/**
 * Each attempt that fails is another's that succeeded, so a change made by as many as this at once
 * is still told: a crawl that has just begun must be known before its next page.
 */
const attempts = 50

export function createSharedCrawls(redis: Pick<RedisConnection, "run">): SharedCrawls {
  return {
    change: async (query, own, to) => {
      const keys = [`mds:crawls:${query}`]
      for (let attempt = 1; ; attempt++) {
        const text = await redis.run(read, keys, [])
        if (text === undefined) return undefined
        const known = typeof text === "string" ? text : ""
        const changed = to(merged(known === "" ? [] : JSON.parse(known), own()))
        if (changed.crawls.length === 0 || attempt === attempts) return changed
        const written = JSON.stringify(changed.crawls)
        const replaced = await redis.run(replace, keys, [known, written, String(crawlIdleMs)])
        if (replaced !== 0) return changed
      }
    },
  }
}
