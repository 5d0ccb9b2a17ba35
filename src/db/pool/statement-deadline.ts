/**
 * The deadline of running statements. Once one has missed it, the database is probably unreachable:
 * until a statement ends again, callers fail fast, after a much shorter deadline.
 */
import { Unavailable } from "./unavailable.ts"

export interface DeadlineOptions {
  deadlineMs: number
  /** The deadline while the database does not answer. */
  failFastMs: number
}

export interface StatementDeadline {
  /** False after a statement missed its deadline, until a statement ends. */
  readonly isAnswering: boolean
  /** The statement's result, or Unavailable at the deadline. The statement itself goes on. */
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
