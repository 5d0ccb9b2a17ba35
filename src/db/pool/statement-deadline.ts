/**
 * How long callers wait for statements that are under way. Once one has gone without any answer, the
 * database is most likely away: until one is answered again, callers are refused much sooner.
 */
import { Unavailable } from "./unavailable.ts"

export interface DeadlineOptions {
  deadlineMs: number
  /** The same, while the database gives no answers. */
  failFastMs: number
}

export interface StatementDeadline {
  /** False from a statement that missed its deadline until one ends. */
  readonly isAnswering: boolean
  /** What the statement gives, or Unavailable at the deadline; the statement itself goes on. */
  within<T>(statement: Promise<T>): Promise<T>
}

export function createStatementDeadline({
  deadlineMs,
  failFastMs,
}: DeadlineOptions): StatementDeadline {
  let isAnswering = true

  function within<T>(statement: Promise<T>): Promise<T> {
    const limitMs = isAnswering ? deadlineMs : failFastMs
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        isAnswering = false
        reject(new Unavailable(`No answer from the database within ${limitMs} ms`))
      }, limitMs)
      const onEnd = (): void => {
        clearTimeout(timer)
        isAnswering = true
      }
      statement.finally(onEnd).then(resolve, reject)
    })
  }

  return {
    get isAnswering() {
      return isAnswering
    },
    within,
  }
}
