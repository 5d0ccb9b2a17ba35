import type { RedisClient } from "bun"

/** A Lua script, which the server runs atomically and caches by the SHA-1 of its source. */
export interface RedisScript {
  source: string
  sha1: string
}

export const redisScript = (source: string): RedisScript => ({
  source,
  sha1: Bun.CryptoHasher.hash("sha1", source, "hex"),
})

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
