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
    // Where the step lost the race, its failure is of no interest.
    step.catch(() => {})
  }
}
