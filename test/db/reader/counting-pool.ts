import type { Database, Pool } from "../../../src/db/pool/pool.ts"

/** The pool, and a counter of the statements that have begun; those for the rows of pages apart. */
export function countingPool(pool: Pool) {
  const counter = { statements: 0, rows: 0 }
  const counted =
    <T>(name: "statements" | "rows", statement: (db: Database) => Promise<T>) =>
    (db: Database) => {
      counter[name]++
      return statement(db)
    }
  const run: Pool["run"] = (account, key, statement) =>
    pool.run(account, key, counted(/^\w+ rows /.test(key) ? "rows" : "statements", statement))
  const runAlone: Pool["runAlone"] = (account, statement) =>
    pool.runAlone(account, counted("statements", statement))
  return { counter, pool: { ...pool, run, runAlone } }
}
