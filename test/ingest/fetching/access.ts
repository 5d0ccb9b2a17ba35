/** How tests reach their own servers: quickly, and on this machine. */
import type { Limits } from "../../../src/ingest/fetching/limits.ts"
import type { Access } from "../../../src/ingest/fetching/request.ts"

export const testLimits: Limits = {
  silenceMs: 20_000,
  totalMs: 60_000,
  maxBytes: 1024 ** 2,
  maxUnpackedBytes: 1024 ** 2,
  backOffMs: 1,
}

export const testAccess = (limits: Partial<Limits> = {}, others: Partial<Access> = {}): Access => ({
  userAgent: "mds/test",
  headers: {},
  limits: { ...testLimits, ...limits },
  signal: new AbortController().signal,
  ...others,
})
