/** Waiting for what another process or connection does, without guessing how long it takes. */

/**
 * Resolves when the condition is met, and fails when it isn't in time. Checks more and more rarely, so
 * that a long wait takes little CPU from what it waits for. Never more rarely than every 25 ms: a
 * condition may read a pipe, of which each check empties 64 KiB.
 */
export async function until(
  isMet: () => boolean | Promise<boolean>,
  withinMs = 30_000,
): Promise<void> {
  const startedMs = performance.now()
  while (!(await isMet())) {
    const waitedMs = performance.now() - startedMs
    if (waitedMs > withinMs) throw new Error(`Not so within ${withinMs} ms: ${isMet}`)
    await Bun.sleep(Math.min(25, Math.max(5, waitedMs / 10)))
  }
}
