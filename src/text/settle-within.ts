/**
 * Settles as `result` does, within `limitMs`. What it is the result of goes on.
 * @param errorAfter makes the error for what takes longer
 */
export async function settleWithin<T>(
  limitMs: number,
  result: Promise<T>,
  errorAfter: (limitMs: number) => Error,
): Promise<T> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(errorAfter(limitMs)), limitMs)
  try {
    return await Promise.race([result, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}
