/**
 * Whether a server can be used: only a single primary, itself or behind an address that follows it. A script
 * has keys that a cluster keeps on several nodes, and a sentinel keeps none.
 */
import type { RedisClient } from "bun"

/** The server is of a kind that is not supported, which waiting does not change. */
export class UnsupportedRedis extends Error {
  override readonly name = "UnsupportedRedis"
}

const unsupported: Readonly<Record<string, string>> = {
  cluster:
    "a Redis Cluster is not supported; let REDIS_URL name a single primary that is not part of one",
  sentinel:
    "this is a Sentinel, which is not supported; let REDIS_URL name the primary, or a proxy that follows it",
}

/** @throws UnsupportedRedis */
export async function ensureSupported(client: RedisClient): Promise<void> {
  // Without arguments it changes nothing, and any user may send it.
  const { mode }: { mode?: string } = await client.send("HELLO", [])
  const reason = unsupported[mode ?? ""]
  if (reason !== undefined) throw new UnsupportedRedis(reason)
}

/** What an error reply means, where it says that another server is the primary. */
export const explained = (error: unknown): unknown =>
  error instanceof Error && error.message.startsWith("READONLY")
    ? new Error(`this is a read-only replica; REDIS_URL must name the primary (${error.message})`)
    : error
