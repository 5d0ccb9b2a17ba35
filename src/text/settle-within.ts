/**
 * Settles as `result` does, or rejects after `limitMs`. Then `result` goes on, and its outcome is ignored, a
 * rejection included.
 *
 * The time is measured by four timers, each started when the one before has fired, and one more turn
 * of the event loop. So however long this process itself was busy, that counts as a quarter of the
 * limit, and a reply that arrived in the meantime is read before the limit is reached. A single timer
 * would fire first, and in Bun so would any number of `setImmediate`: they do not wait for sockets.
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
