/**
 * A bounded queue before a pool. postgres.js would queue without limit and pipeline behind slow
 * statements; here at most `places` statements are under way, at most `queueLength` wait, and none
 * waits or runs longer than its limit. Who is refused gets Unavailable. While the last statements have
 * gone without any answer, callers are refused much sooner, for the database is most likely away.
 */
import { Unavailable } from "./unavailable.ts"

export interface GateOptions {
  places: number
  queueLength: number
  waitMs: number
  /** How long the caller waits for a statement that has its place. */
  deadlineMs: number
  /** The same, while the database gives no answers. */
  impatientMs: number
}

export interface Gate {
  run<T>(task: () => Promise<T>): Promise<T>
  /** Statements under way and callers waiting. */
  load(): { running: number; waiting: number }
}

interface Waiter {
  enter: () => void
}

export function createGate({
  places,
  queueLength,
  waitMs,
  deadlineMs,
  impatientMs,
}: GateOptions): Gate {
  let running = 0
  const waiting = new Set<Waiter>()
  let answering = true

  const enter = (): Promise<void> | undefined => {
    if (running < places) {
      running++
      return undefined
    }
    if (waiting.size >= queueLength) {
      return Promise.reject(new Unavailable("Every place in the queue for the database is taken"))
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(waiter)
        reject(new Unavailable(`No place at the database within ${waitMs} ms`))
      }, waitMs)
      const waiter = {
        enter: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      waiting.add(waiter)
    })
  }

  /** Hands the place to who waits longest, or gives it up. */
  const leave = (): void => {
    for (const waiter of waiting) {
      waiting.delete(waiter)
      waiter.enter()
      return
    }
    running--
  }

  return {
    run: async (task) => {
      await enter()
      // The place is held until the statement has ended, not until its caller gave up: else more
      // statements than places would pile up at a database that hangs.
      const statement = Promise.try(task).finally(() => {
        answering = true
        leave()
      })
      return withDeadline(statement, answering ? deadlineMs : impatientMs, () => {
        answering = false
      })
    },
    load: () => ({ running, waiting: waiting.size }),
  }
}

function withDeadline<T>(
  statement: Promise<T>,
  deadlineMs: number,
  onDeadline: () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      onDeadline()
      reject(new Unavailable(`No answer from the database within ${deadlineMs} ms`))
    }, deadlineMs)
    statement.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
