/** Repeats what failed for a moment, with pauses that grow or that the server asks for. */
import { FetchError } from "./fetch-error.ts"
import type { Access } from "./request.ts"

/**
 * The result of `work`, which is tried again where its failure is temporary.
 * @throws the last failure, or the reason of the signal
 */
export async function withRetries<T>(
  { limits, signal }: Pick<Access, "limits" | "signal">,
  work: () => Promise<T>,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof FetchError) || !error.isTemporary || tried >= limits.tries) throw error
      const pauseMs = Math.max(limits.backOffMs * 3 ** (tried - 1), error.retryAfterMs ?? 0)
      if (pauseMs > Math.max(limits.backOffMs, limits.maxRetryAfterMs)) throw error
      await pause(pauseMs, signal)
    }
  }
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", end)
      if (signal.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener("abort", end)
  })
}

/**
 * What a `Retry-After` header asks for: seconds, or a date.
 * @returns milliseconds from `nowMs` on; undefined where it has neither
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}
