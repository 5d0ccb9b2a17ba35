/** What bounds callers, queues and memory. */
import type { Settings } from "./setting.ts"
import { integer, redisUrl } from "./values.ts"

export const limits = {
  RATE_WINDOW_SECONDS: {
    description: "Length of the rate limit's sliding window; change it only for tests",
    fallback: "3600",
    parse: integer(1, 86_400),
  },
  CACHE_MEMORY_MB: {
    description:
      "Memory for all caches of a process: whole answers, plans, totals, page positions, anchors of deep pages, keys of short lists, breakdowns by value, tokens, page sequences; 0 caches nothing, and keeps page sequences in 1 MB",
    fallback: "64",
    parse: integer(0, 1_000_000),
  },
  REDIS_URL: {
    description:
      "Redis or Valkey through which several processes share rate limit windows and page sequences, as `redis://user:password@host:6379/0`; empty for a single process",
    fallback: "",
    secret: true,
    parse: redisUrl,
  },
  MAX_EXPORTS: {
    description:
      "Concurrent exports, each of which may take 10 MB of memory, the system's buffers included, while its client does not read; an account has at most a fifth of them, and further ones are queued",
    fallback: "20",
    parse: integer(1, 10_000),
  },
  EXPORT_STALL_SECONDS: {
    description: "The client of an export is disconnected after reading nothing for this long",
    fallback: "300",
    parse: integer(1, 86_400),
  },
} as const satisfies Settings
