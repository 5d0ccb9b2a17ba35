/**
 * Settles as `reply` does, or rejects where it takes longer than `limitMs`. What becomes of `reply`
 * after that is nobody's concern, a rejection included.
 *
 * The time is counted in quarters, each begun when the one before has ended, and then in one more
 * turn of the event loop. So however long this process itself was busy, that counts as one quarter,
 * and a reply that meanwhile arrived is read before it is called missing. A single timer would be
 * run first, and in Bun so would any number of `setImmediate`: they do not wait for the sockets.
 */
export function answerWithin<T>(limitMs: number, reply: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout>
    const waitFor = (quarters: number): void => {
      timer = setTimeout(
        () => {
          if (quarters > 0) waitFor(quarters - 1)
          else reject(new Error(`No answer within ${limitMs} ms`))
        },
        quarters > 0 ? limitMs / 4 : 1,
      )
    }
    waitFor(4)
    reply.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
