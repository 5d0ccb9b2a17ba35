/**
 * Settles as `result` does, or rejects after `limitMs`; then it ignores the outcome of `result`.
 *
 * Four consecutive timers and one more turn of the event loop measure the time. So a busy process loses at
 * most a quarter of the limit, and reads a reply that arrived meanwhile before the limit passes. A single
 * timer would fire first, and in Bun so would any number of `setImmediate`: they do not wait for sockets.
 * @param errorAfter makes the error for a result that takes longer
 */
export function settleWithin<T>(
  limitMs: number,
  result: Promise<T>,
  errorAfter: (limitMs: number) => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout>
    const waitFor = (quarters: number): void => {
      timer = setTimeout(
        () => {
          if (quarters > 0) waitFor(quarters - 1)
          else reject(errorAfter(limitMs))
        },
        quarters > 0 ? limitMs / 4 : 1,
      )
    }
    waitFor(4)
    result.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
