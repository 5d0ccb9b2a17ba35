/** Polls until `read` returns a value; `undefined` once `limitMs` have passed without one. */
export async function until<T>(
  read: () => T | undefined | false,
  limitMs: number,
  everyMs = 10,
): Promise<T | undefined> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const value = read()
    if (value !== undefined && value !== false) return value
    if (performance.now() > deadline) return undefined
    await Bun.sleep(everyMs)
  }
}
