import type { RedisClient } from "bun"

/** A script that the server runs whole before anything else, and keeps under the hash of its text. */
export interface RedisScript {
  source: string
  sha1: string
}

export const redisScript = (source: string): RedisScript => ({
  source,
  sha1: Bun.CryptoHasher.hash("sha1", source, "hex"),
})

/**
 * The script's reply. Its text is sent only to a server that does not have it, which is after each
 * start and each SCRIPT FLUSH, so a call costs one round trip and nobody has to load anything.
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
