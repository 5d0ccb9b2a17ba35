/**
 * Looks for what is new in watches, and delivers it. Each serving process has a worker. It works when a release or an
 * account changes and when the next watch is due. First it makes events, which it stores with the moved cursor in one
 * statement; then it delivers them, some at once, and stores the outcomes.
 */

import type { Pool } from "../../data/db/pool/pool.ts"
import type { Release, Releases } from "../../data/reader/releases.ts"
import { minuteMs, secondOf } from "../../system/text/time.ts"
import type { Event, Events } from "./events.ts"
import { createQueue, type Taken } from "./queue.ts"
import { firstLook, nextLook, retryDelayMs, sydneyDay } from "./schedule.ts"
import type { Outcome } from "./webhook.ts"

/** A watch with an event or a test. */
export interface Sending extends Taken {
  event: Event
  /** The event as stored, which every attempt sends. */
  body: string
}

export interface AlertOptions {
  /** Of its own, so that neither requests nor watches wait for the others. */
  pool: Pool
  releases: Pick<Releases, "current">
  events: Pick<Events, "since">
  /** Makes one attempt. Never throws. */
  send: (sending: Sending) => Promise<Outcome>
  onDisabled: (watch: Taken, reason: string) => void
  onFailure: (error: unknown) => void
  now: () => Date
}

/** Attempts in progress. */
const mostAtOnce = 16
/** A pooler and a restore without triggers send no notifications. */
const longestSleepMs = minuteMs
const whileBusyMs = 1_000
const afterFailureMs = 5_000

export function startAlerts(options: AlertOptions) {
  const { pool, releases, events, send, onDisabled, onFailure, now } = options
  const queue = createQueue(pool, now)
  const attempts = new Set<Promise<void>>()
  let timer: Timer | undefined
  let isFailing = false
  let isStopped = false

  async function make(): Promise<void> {
    const to = await releases.current()
    await queue.moveUntouched(to)
    while (!isStopped) {
      const taken = await queue.takeWatches(to)
      if (taken.length === 0) return
      const failures: unknown[] = []
      for (const watch of taken) {
        await look(watch, to).catch((error: unknown) => failures.push(error))
      }
      deliver()
      if (failures.length > 0) throw failures[0]
    }
  }

  /**
   * Makes the event of a watch, if anything is new, and moves its cursor. Stored watch by watch: a process that takes
   * over the others once their lease has ended finds these done. A failed watch is looked at again after its lease.
   */
  async function look(watch: Taken, to: Release): Promise<void> {
    const day = sydneyDay(now())
    const event = await events.since(watch, { ...watch, to, day }, now())
    const dueAt = event ? now() : nextLook(watch.subject, watch.channel, now())
    await queue.moveCursor(watch, { to, day, dueAt, body: event && JSON.stringify(event) })
  }

  const deliver = coalesced(async () => {
    const free = isStopped ? 0 : mostAtOnce - attempts.size
    if (free > 0) for (const taken of await queue.takeDeliveries(free)) begin(taken)
  }, fail)

  function begin(taken: Taken): void {
    const ended = attempt(taken)
      .catch(fail)
      .finally(() => {
        attempts.delete(ended)
        if (attempts.size === 0) wake()
        else deliver()
      })
    attempts.add(ended)
  }

  async function attempt(taken: Taken): Promise<void> {
    const at = now()
    const startedMs = performance.now()
    const body = taken.body ?? JSON.stringify(testOf(taken, at))
    const event: Event = JSON.parse(body)
    if (!taken.isTestDue && !taken.isEventReadable && !event.data.resync) {
      await queue.discardEvent(taken)
      return
    }
    const outcome = await send({ ...taken, event, body })
    const ms = Math.round(performance.now() - startedMs)
    const made = { at, type: event.type, outcome, ms, dueAt: dueAfter(taken, outcome) }
    const isDisabled = await queue.storeAttempt(taken, made)
    if (isDisabled && outcome.reason !== null) onDisabled(taken, outcome.reason)
  }

  /** When to look again or, after a failure, to try again; null for never. */
  function dueAfter({ subject, channel, attempt }: Taken, outcome: Outcome): Date | null {
    const { status, reason, retryAfterMs } = outcome
    if (reason === null) return firstLook(subject, channel, now())
    // The receiver wants no further events.
    if (status === 410) return null
    const delayMs = retryDelayMs(attempt, retryAfterMs)
    return delayMs === undefined ? null : new Date(now().getTime() + delayMs)
  }

  const work = coalesced(async () => {
    await make()
    const due = await queue.nextDue()
    isFailing = false
    const ms = due ? due.getTime() - now().getTime() : longestSleepMs
    // Watches with an event in progress may be behind again after it.
    sleep(Math.min(Math.max(ms, 0), attempts.size > 0 ? whileBusyMs : longestSleepMs))
  }, fail)

  function wake(): void {
    if (isStopped) return
    clearTimeout(timer)
    deliver()
    work()
  }

  function fail(error: unknown): void {
    // An outage is one failure, however many attempts meet it.
    if (!isStopped && !isFailing) onFailure(error)
    isFailing = true
    sleep(afterFailureMs)
  }

  function sleep(ms: number): void {
    clearTimeout(timer)
    if (!isStopped) timer = setTimeout(wake, ms)
  }

  wake()
  return {
    /** Looks at once, as after a release or a change of an account. */
    wake,
    /** Begins no more attempts, and waits for those in progress. Takes no more watches. */
    stop: async (): Promise<void> => {
      isStopped = true
      clearTimeout(timer)
      // A statement in progress may take more, which would otherwise wait for the end of their leases.
      await deliver()
      await Promise.all(attempts)
    },
  }
}

const testOf = ({ id, name, release }: Taken, at: Date): Event => ({
  type: "test",
  timestamp: secondOf(at),
  data: { watch: { id, name }, release },
})

/** Runs it, and once more where it was called meanwhile. The promise is that of the last run, and never rejects. */
function coalesced(run: () => Promise<void>, onFailure: (error: unknown) => void) {
  let running: Promise<void> | undefined
  let isCalled = false
  async function repeat(): Promise<void> {
    while (isCalled) {
      isCalled = false
      await run().catch(onFailure)
    }
    running = undefined
  }
  return (): Promise<void> => {
    isCalled = true
    running ??= repeat()
    return running
  }
}
