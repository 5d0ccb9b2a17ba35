/**
 * The deadline of running statements. Once one has missed it, the database is probably unreachable:
 * until a statement ends again, callers fail fast, after a much shorter deadline.
 */
import { noAnswerWithin, type Unavailable } from "./unavailable.ts"

export interface DeadlineOptions {
  deadlineMs: number
  /** The deadline while the database does not answer. */
  failFastMs: number
  /** How long after its deadline a statement is abandoned. */
  giveUpAfterMs: number
}

export interface StatementDeadline {
  /** False after a statement missed its deadline, until a statement ends. */
  readonly isAnswering: boolean
  /**
   * The statement's result, or Unavailable at the deadline. The statement itself goes on.
   * @param giveUp called if it has still not ended some time after that
   */
  within<T>(statement: Promise<T>, giveUp: () => void): Promise<T>
  /** Rejects for all callers of running statements. */
  refuseRunning(reason: Unavailable): void
}

export function createStatementDeadline({
  deadlineMs,
  failFastMs,
  giveUpAfterMs,
}: DeadlineOptions): StatementDeadline {
  let isAnswering = true
  const running = new Set<(reason: Unavailable) => void>()

  function within<T>(statement: Promise<T>, giveUp: () => void): Promise<T> {
    const limitMs = isAnswering ? deadlineMs : failFastMs
    return new Promise((resolve, reject) => {
      let isGivenUp = false
      running.add(reject)
      const onOverdue = (): void => {
        isGivenUp = true
        giveUp()
      }
      const onDeadline = (): void => {
        isAnswering = false
        reject(noAnswerWithin(limitMs))
        timer = setTimeout(onOverdue, deadlineMs + giveUpAfterMs - limitMs)
      }
      let timer = setTimeout(onDeadline, limitMs)
      const onEnd = (): void => {
        clearTimeout(timer)
        running.delete(reject)
        if (!isGivenUp) isAnswering = true
      }
      statement.finally(onEnd).then(resolve, reject)
    })
  }

  return {
    get isAnswering() {
      return isAnswering
    },
    within,
    refuseRunning: (reason) => {
      for (const refuse of running) refuse(reason)
    },
  }
}
