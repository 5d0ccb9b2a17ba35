import type { RedisClient } from "bun"

/** A Lua script, which the server runs atomically and caches by the SHA-1 of its source. */
export interface RedisScript {
  source: string
  sha1: string
}

/** A script with its keys and arguments. */
export interface RedisCall {
  script: RedisScript
  keys: readonly string[]
  args: readonly string[]
}

/** A call that is sent together with another one. */
export interface AttachedCall extends RedisCall {
  /** Receives its reply, undefined if Redis did not answer; is not called if the other call refuses it. */
  receive(reply: unknown): void
}

export const redisScript = (source: string): RedisScript => ({
  source,
  sha1: Bun.CryptoHasher.hash("sha1", source, "hex"),
})

/**
 * A script that runs `first`, and then `second` if the first element of the first one's reply is 1. Each
 * of them has one key. Returns the replies of those that ran.
 */
export const followedBy = (first: RedisScript, second: RedisScript): RedisScript =>
  redisScript(`
local function first(KEYS, ARGV)
${first.source}
end
local function second(KEYS, ARGV)
${second.source}
end
local ofFirst = tonumber(ARGV[1])
local reply = first({ KEYS[1] }, { unpack(ARGV, 2, ofFirst + 1) })
if reply[1] ~= 1 then return { reply } end
return { reply, second({ KEYS[2] }, { unpack(ARGV, ofFirst + 2) }) }`)

/**
 * Runs a script. Its source is sent only where the server's cache lacks it, after a restart or a SCRIPT
 * FLUSH, so a call usually costs one round trip and needs no SCRIPT LOAD.
 */
export async function evaluate(
  client: RedisClient,
  { source, sha1 }: RedisScript,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  const rest = [String(keys.length), ...keys, ...args]
  try {
    return await client.send("EVALSHA", [sha1, ...rest])
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error
    return client.send("EVAL", [source, ...rest])
  }
}
