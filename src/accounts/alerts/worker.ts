/**
 * Looks for what is new in watches, and delivers it. Each serving process has a worker. It works when a release or an
 * account changes and when the next watch is due. First it makes events, which it stores with the moved cursor in one
 * statement; then it delivers them, some at once, and stores the outcomes.
 */

import type { Pool } from "../../data/db/pool/pool.ts"
import type { Release, Releases } from "../../data/reader/releases.ts"
import type { ResourceRecord } from "../../data/resources/resource.ts"
import { minuteMs, secondOf } from "../../system/text/time.ts"
import type { Event, EventPeriod, Events } from "./events.ts"
import { createQueue, type FollowUp, type TakenDelivery, type TakenWatch } from "./queue.ts"
import { firstLook, nextLook, retryDelayMs, sydneyDay } from "./schedule.ts"
import type { Watch } from "./watch.ts"
import type { Outcome } from "./webhook.ts"

/** One attempt to deliver an event or a test. */
export interface Sending {
  watch: Watch
  /** The address of the account. */
  email: string
  /** Of a webhook, the newest first. */
  secrets: readonly string[]
  eventId: string
  event: Event
  /** The event as stored, which every attempt sends. */
  body: string
  /** Reads the first records of the event, by the names of its counts. */
  records: () => Promise<Readonly<Record<string, readonly ResourceRecord[]>>>
}

export interface AlertOptions {
  /** Of its own, so that neither requests nor watches wait for the others. */
  pool: Pool
  releases: Pick<Releases, "current">
  events: Events
  /** Never throws. */
  send: (sending: Sending) => Promise<Outcome>
  onDisabled: (sending: Sending, reason: string) => void
  onFailure: (error: unknown) => void
  now: () => Date
  /** From 0 to 1. */
  random?: () => number
}

/** Attempts in progress. */
const mostAtOnce = 16
/** A pooler and a restore without triggers send no notifications. */
const longestSleepMs = minuteMs
const whileBusyMs = 1_000
const afterFailureMs = 5_000

export function startAlerts(options: AlertOptions) {
  const { pool, releases, events, send, onDisabled, onFailure, now, random = Math.random } = options
  const queue = createQueue(pool, now)
  const attempts = new Set<Promise<void>>()
  let timer: Timer | undefined
  let isStopped = false

  const make = coalesced(async () => {
    const to = await releases.current()
    await queue.moveUntouched(to)
    let taken = await queue.takeWatches(to)
    while (taken.length > 0 && !isStopped) {
      await look(taken, to)
      deliver().catch(fail)
      taken = await queue.takeWatches(to)
    }
  })

  /** Makes the events of watches, and stores them. A failed watch is looked at again after its lease. */
  async function look(taken: readonly TakenWatch[], to: Release): Promise<void> {
    const unchanged: TakenWatch[] = []
    const failures: unknown[] = []
    const day = sydneyDay(now())
    for (const watch of taken) {
      const period = periodOf(watch, to, day)
      try {
        const event = isOver(watch, period) ? await events.since(watch, period, now()) : null
        const body = JSON.stringify(event)
        if (event) await queue.moveCursors([watch], { to, day, dueAt: now(), body })
        else unchanged.push(watch)
      } catch (error) {
        failures.push(error)
      }
    }
    const byDue = Map.groupBy(unchanged, ({ subject, channel }) =>
      nextLook(subject, channel, now())?.getTime(),
    )
    for (const [dueMs, group] of byDue) {
      const dueAt = dueMs === undefined ? null : new Date(dueMs)
      await queue.moveCursors(group, { to, day, dueAt, body: null })
    }
    if (failures.length > 0) throw failures[0]
  }

  const deliver = coalesced(async () => {
    const free = mostAtOnce - attempts.size
    if (free > 0) for (const taken of await queue.takeDeliveries(free)) begin(taken)
  })

  function begin(taken: TakenDelivery): void {
    const ended = attempt(taken)
      .catch(fail)
      .finally(() => {
        attempts.delete(ended)
        if (attempts.size === 0) wake()
        else deliver().catch(fail)
      })
    attempts.add(ended)
  }

  async function attempt(taken: TakenDelivery): Promise<void> {
    const at = now()
    const { id, name, release, isTest, eventId, email, secrets, since } = taken
    const test: Event = {
      type: "test",
      timestamp: secondOf(at),
      data: { watch: { id, name }, release },
    }
    const body = isTest ? JSON.stringify(test) : taken.body
    const event: Event = JSON.parse(body)
    const read = { release: coveredBy(taken), since, account: null }
    const records = () => events.records(event, read)
    const sending = { watch: taken, email, secrets, eventId, event, body, records }
    const outcome = await send(sending)
    const attempted = { at, eventId, type: event.type, release, attempt: taken.attempt, outcome }
    const after = afterOf(taken, outcome)
    const isDisabled = await queue.storeAttempt(taken, attempted, after)
    if (isDisabled && after.kind === "disabled") onDisabled(sending, after.reason)
  }

  function afterOf(
    { subject, channel, isTest, attempt }: TakenDelivery,
    { reason, retryAfterMs, isGone }: Outcome,
  ): FollowUp {
    if (isTest) return { kind: "tested" }
    if (reason === null) return { kind: "delivered", dueAt: firstLook(subject, channel, now()) }
    const delayMs = retryDelayMs(attempt, retryAfterMs, random())
    if (delayMs === undefined || isGone) return { kind: "disabled", reason }
    return { kind: "retried", dueAt: new Date(now().getTime() + delayMs) }
  }

  function wake(): void {
    if (isStopped) return
    clearTimeout(timer)
    Promise.all([make(), deliver()])
      .then(queue.nextDue)
      .then((due) => {
        const ms = due ? due.getTime() - now().getTime() : longestSleepMs
        // Watches with an event in progress may be behind again after it.
        sleep(Math.min(Math.max(ms, 0), attempts.size > 0 ? whileBusyMs : longestSleepMs))
      })
      .catch(fail)
  }

  function fail(error: unknown): void {
    if (!isStopped) onFailure(error)
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
    /** Begins no more attempts, and waits for those in progress. */
    stop: async (): Promise<void> => {
      isStopped = true
      clearTimeout(timer)
      await Promise.all(attempts)
    },
  }
}

/** Runs it once more where it was called meanwhile. Callers share a run. */
function coalesced(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let isCalled = false
  const runAll = async (): Promise<void> => {
    while (isCalled) {
      isCalled = false
      await run()
    }
  }
  return () => {
    isCalled = true
    running ??= runAll().finally(() => {
      running = undefined
    })
    return running
  }
}

/** The release that the last event of a watch covered, or its event in progress covers. */
const coveredBy = ({ release, identity }: TakenWatch | TakenDelivery): Release => ({
  id: release,
  publishedAt: 0,
  identity,
})

function periodOf(watch: TakenWatch, to: Release, today: string): EventPeriod {
  const { release: since, day: sinceDay, isReadable } = watch
  // A clock may be behind that of the process before.
  const day = sinceDay !== null && sinceDay > today ? sinceDay : today
  return { from: isReadable ? coveredBy(watch) : null, since, to, sinceDay, day }
}

/** Whether a release or, for expiry dates, a day has passed. */
const isOver = (
  { subject, identity }: TakenWatch,
  { from, to, sinceDay, day }: EventPeriod,
): boolean =>
  from === null || identity !== to.identity || (subject.kind === "expiry" && sinceDay !== day)
