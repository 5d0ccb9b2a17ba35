/** Limits of time on a step that waits for a server. */

/**
 * The result of `step`, or a rejection with `late()` after `limitMs` or with the signal's reason.
 * The step itself goes on: the caller ends its connection.
 */
export async function withinLimit<T>(
  step: Promise<T>,
  limitMs: number,
  signal: AbortSignal,
  late: () => Error,
): Promise<T> {
  // Where the step is no longer waited for, its failure is of no interest, and must not be unhandled:
  // that would end the process. This comes first, as the signal may have ended before the step began.
  step.catch(() => {})
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(late()), limitMs)
  const onAbort = () => reject(signal.reason)
  signal.addEventListener("abort", onAbort)
  try {
    return await Promise.race([step, promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener("abort", onAbort)
  }
}
