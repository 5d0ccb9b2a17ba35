import type { Pool } from "../../../src/db/pool/pool.ts"

/** The pool, and a counter of the statements that have begun. */
export function countingPool(pool: Pool) {
  const counter = { statements: 0 }
  const run: Pool["run"] = (statement, ...claim) =>
    pool.run(
      () => {
        counter.statements++
        return statement()
      },
      ...claim,
    )
  return { counter, pool: { ...pool, run } }
}
