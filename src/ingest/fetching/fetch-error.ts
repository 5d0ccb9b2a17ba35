/** Failures of requests, and retries of temporary ones. */
import { setTimeout as pause } from "node:timers/promises"
import { LoadError } from "../loading/load-error.ts"
import type { Limits } from "./limits.ts"

/** A failed fetch of an address. The message is for the operator. */
export class FetchError extends LoadError {
  override readonly name = "FetchError"
  /** Whether a retry may succeed. */
  readonly isTemporary: boolean

  constructor(url: URL, reason: string, { isTemporary = false } = {}) {
    super(`Cannot fetch ${shownAddress(url)}: ${reason}`)
    this.isTemporary = isTemporary
  }
}

const temporary = [408, 425, 429, 500, 502, 503, 504]

/** @param detail from the body of the response */
export const statusError = (url: URL, status: number, detail = ""): FetchError =>
  new FetchError(
    url,
    `it returned ${status}${detail}${status === 404 ? ". Check the address" : ""}`,
    { isTemporary: temporary.includes(status) },
  )

/** Without user, password and query, which may have secrets. */
export const shownAddress = ({ origin, pathname }: URL): string => origin + pathname

const tries = 3

/**
 * Runs `work`, and retries it after a temporary failure.
 * @throws the last failure, or the reason of the signal
 */
export async function withRetries<T>(
  { limits, signal }: { limits: Pick<Limits, "backOffMs">; signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof FetchError) || !error.isTemporary || tried >= tries) throw error
      const pauseMs = limits.backOffMs * 3 ** (tried - 1)
      await pause(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}
