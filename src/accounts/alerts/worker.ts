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
import {
  type AfterAttempt,
  type Attempt,
  createQueue,
  type TakenEvent,
  type TakenTest,
  type TakenWatch,
} from "./queue.ts"
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
  const busy = new Map<string, number>()
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
    const today = sydneyDay(now())
    for (const watch of taken) {
      const period = periodOf(watch, to, today)
      try {
        const event = isOver(watch, period) ? await events.since(watch, period, now()) : null
        const day = watch.subject.kind === "expiry" ? period.day : null
        if (event)
          await queue.storeEvent(watch, {
            body: JSON.stringify(event),
            since: period.since,
            to,
            day,
          })
        else unchanged.push(watch)
      } catch (error) {
        failures.push(error)
      }
    }
    const byDue = Map.groupBy(unchanged, ({ subject, channel }) =>
      nextLook(subject, channel, now())?.getTime(),
    )
    for (const [dueMs, group] of byDue) {
      const [{ leasedUntil } = { leasedUntil: "" }] = group
      const dueAt = dueMs === undefined ? null : new Date(dueMs)
      const ids = group.map(({ id }) => id)
      await queue.storeNothing(ids, { leasedUntil, to, day: today, dueAt })
    }
    if (failures.length > 0) throw failures[0]
  }

  const deliver = coalesced(async () => {
    const free = () => mostAtOnce - attempts.size
    if (free() === 0) return
    for (const test of await queue.takeTests(busy, free())) begin(test, attemptTest(test))
    if (free() === 0) return
    for (const event of await queue.takeEvents(busy, free())) begin(event, attemptEvent(event))
  })

  function begin({ host }: TakenTest, attempt: Promise<void>): void {
    busy.set(host, (busy.get(host) ?? 0) + 1)
    const ended = attempt.catch(fail).finally(() => {
      attempts.delete(ended)
      const left = (busy.get(host) ?? 1) - 1
      if (left > 0) busy.set(host, left)
      else busy.delete(host)
      if (attempts.size === 0) wake()
      else deliver().catch(fail)
    })
    attempts.add(ended)
  }

  async function attemptEvent(taken: TakenEvent): Promise<void> {
    const { eventId, body, attempt, since, identity, email, secrets } = taken
    const event: Event = JSON.parse(body)
    const release = { id: event.data.release, publishedAt: 0, identity: identity ?? "" }
    const sending: Sending = {
      watch: taken,
      email,
      secrets,
      eventId,
      event,
      body,
      records: () => events.records(event, { release, since, account: null }),
    }
    const attempted = await attemptOf(sending, attempt)
    const after = afterOf(taken, attempted.outcome)
    const isStored = await queue.storeAttempt(taken, attempted, after)
    if (isStored && after.kind === "disabled") onDisabled(sending, after.reason)
  }

  function afterOf({ subject, channel, attempt }: TakenEvent, outcome: Outcome): AfterAttempt {
    if (outcome.ok) return { kind: "delivered", dueAt: firstLook(subject, channel, now()) }
    const reason = outcome.reason ?? "The delivery failed"
    const delayMs = retryDelayMs(attempt, outcome.retryAfterMs, random())
    return delayMs === undefined || outcome.isGone
      ? { kind: "disabled", reason }
      : { kind: "retried", dueAt: new Date(now().getTime() + delayMs) }
  }

  async function attemptTest(taken: TakenTest): Promise<void> {
    const { id, name, release, email, secrets } = taken
    const event: Event = {
      type: "test",
      timestamp: secondOf(now()),
      data: { watch: { id, name }, release },
    }
    const sending: Sending = {
      watch: taken,
      email,
      secrets,
      eventId: crypto.randomUUID(),
      event,
      body: JSON.stringify(event),
      records: async () => ({}),
    }
    await queue.storeTest(id, await attemptOf(sending, 1))
  }

  async function attemptOf(sending: Sending, attempt: number): Promise<Attempt> {
    const at = now()
    const { eventId, event } = sending
    const { type, data } = event
    return { at, eventId, type, release: data.release, attempt, outcome: await send(sending) }
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

function periodOf(
  { release: since, identity, day: sinceDay, isReadable }: TakenWatch,
  to: Release,
  today: string,
): EventPeriod {
  const from = isReadable ? { id: since, publishedAt: 0, identity: identity ?? "" } : null
  // A clock may be behind that of the process before.
  const day = sinceDay !== null && sinceDay > today ? sinceDay : today
  return { from, since, to, sinceDay, day }
}

/** Whether a release or, for expiry dates, a day has passed. */
const isOver = (
  { subject, identity }: TakenWatch,
  { from, to, sinceDay, day }: EventPeriod,
): boolean =>
  from === null ||
  (identity ?? "") !== to.identity ||
  (subject.kind === "expiry" && sinceDay !== day)
