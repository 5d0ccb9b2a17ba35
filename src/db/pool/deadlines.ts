/** How long one waits for the database: less than the pool would, or longer. */
import type { Pool } from "./pool.ts"
import { Unavailable } from "./unavailable.ts"

/**
 * Waits for the end of a statement even where the pool has given it up: only then is it known whether
 * what it wrote must be written again.
 */
export async function runToCompletion(
  pool: Pick<Pool, "run">,
  statement: () => Promise<void>,
): Promise<void> {
  let begun: Promise<void> | undefined
  try {
    await pool.run(() => {
      begun = statement()
      return begun
    })
  } catch (error) {
    if (!begun) throw error
    // Its own error may hold parameters, which the pool's does not.
    await begun.catch(() => Promise.reject(error))
  }
}

/** Settles as `result` does, but in time. @throws Unavailable */
export async function within<T>(limitMs: number, result: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Unavailable(`No answer from the database within ${limitMs} ms`)),
    limitMs,
  )
  try {
    return await Promise.race([result, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
