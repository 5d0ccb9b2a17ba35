/** Telling a server that is silent from this process being held up. */

const ticks = 10

/**
 * Settles as `result` does, unless nothing comes for `limitMs`. The time is counted in turns of the
 * event loop: while this process itself is held up, what the server has sent waits to be read.
 * @param errorAfter makes the error for silence
 */
export async function unlessSilent<T>(
  limitMs: number,
  result: Promise<T>,
  errorAfter: (limitMs: number) => Error,
): Promise<T> {
  const silence = Promise.withResolvers<never>()
  let left = ticks
  const timer = setInterval(() => {
    if (--left === 0) silence.reject(errorAfter(limitMs))
  }, limitMs / ticks)
  try {
    return await Promise.race([result, silence.promise])
  } finally {
    clearInterval(timer)
  }
}
