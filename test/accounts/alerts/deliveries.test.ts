/** Each event is delivered by one process, with one id and body through all attempts, and retried on a schedule. */
import { beforeEach, expect, test } from "bun:test"
import { createQueue } from "../../../src/accounts/alerts/queue.ts"
import {
  deliveriesOf,
  pauseWatch,
  replaceSecret,
  requestTest,
  resumeWatch,
} from "../../../src/accounts/alerts/store.ts"
import { createReleases } from "../../../src/data/reader/releases.ts"
import { awkward } from "../../support/fixtures.ts"
import { until } from "../../support/until.ts"
import { alertWorkbench } from "./alert-workbench.ts"

const bench = await alertWorkbench()
const { service, pool, receiver, watch, change, settled, advance, disabledLines } = bench

beforeEach(async () => {
  await service.sql`delete from watches`
  receiver.events.length = 0
  receiver.chosen.respond = () => new Response(null, { status: 204 })
})

const rowOf = async (id: number) => (await service.sql`select * from watches where id = ${id}`)[0]

/** Moves the clock to the time of the next attempt. @returns the seconds until then */
async function toNextAttempt(id: number): Promise<number> {
  const row = await rowOf(id)
  const ms = Date.parse(row?.due_at) - service.clock.now.getTime()
  const { length } = receiver.events
  await advance(ms)
  await until(() => receiver.events.length > length)
  await until(async () => (await rowOf(id))?.leased_until === null)
  return ms / 1000
}

test("Two processes send each event once, and its releases follow those of the event before", async () => {
  await using _ = await bench.another()
  await watch({ releases: true }, { path: "/a" })
  await watch({ list: "/reports" }, { path: "/b" })
  for (let count = 0; count < 10; count++) {
    await service.publish({ ...awkward, reports: awkward.reports.slice(count % 5) })
  }
  await settled()
  const [newest] = await service.sql`select max(id) as id from releases`
  for (const path of ["/a", "/b"]) {
    const events = receiver.events.filter((event) => event.path === path)
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
    for (const [index, event] of events.slice(1).entries()) {
      expect(event.data.since_release).toBe(events[index]?.data.release ?? 0)
    }
    expect([events[0]?.data.since_release, events.at(-1)?.data.release]).toEqual([1, newest?.id])
  }
})

test("A process that has not seen the newest release takes no watch that has covered it", async () => {
  const older = await createReleases(pool).current()
  await service.publish(awkward)
  await watch({ list: "/reports" })
  await watch({ list: "/tenements", expiring: 90 })
  await settled()
  await service.sql`update watches set due_at = created_at where due_at is not null`
  expect(await createQueue(pool, () => service.clock.now).takeWatches(older)).toEqual([])
})

test("A failing receiver gets the same bytes ten times over three days, then the watch is disabled", async () => {
  const { id } = await watch({ list: "/reports" })
  receiver.chosen.respond = () => new Response(null, { status: 500 })
  await service.publish(awkward)
  await until(async () => (await rowOf(id))?.attempt === 1)
  const waits: number[] = []
  for (let attempt = 2; attempt <= 10; attempt++) waits.push(await toNextAttempt(id))
  const hour = 3600
  const delays = [5, 300, 1800, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
  for (const [index, delay] of delays.entries()) {
    expect((waits[index] ?? 0) / delay).toBeWithin(0.79, 1.21)
  }
  expect(new Set(receiver.events.map(({ id, body }) => `${id} ${body}`)).size).toBe(1)
  const row = await rowOf(id)
  expect([row?.state, row?.reason]).toEqual(["disabled", "The receiver returned 500"])
  await until(() => disabledLines().length > 0)
  expect(disabledLines()).toHaveLength(1)
  const made = await deliveriesOf(pool, { accountId: bench.owner, id })
  expect(made.map(({ attempt, status }) => [attempt, status])).toEqual(
    Array.from({ length: 10 }, (_, index) => [10 - index, 500]),
  )
  // Resumed, it sends the same event first, then one with everything since.
  await service.publish(awkward)
  receiver.chosen.respond = () => new Response(null, { status: 204 })
  await change(resumeWatch, id)
  await settled()
  const [again, next] = receiver.events.slice(10)
  expect(again?.id).toBe(receiver.events[0]?.id ?? "")
  expect(next?.data.since_release).toBe(again?.data.release ?? 0)
})

test("A receiver that was down for a day gets the event in progress, then one event for all further releases", async () => {
  const { id } = await watch({ list: "/reports" })
  receiver.chosen.respond = () => new Response(null, { status: 502 })
  await service.publish(awkward)
  await until(async () => (await rowOf(id))?.attempt === 1)
  for (let count = 0; count < 2; count++) await service.publish(awkward)
  for (let seconds = 0; seconds < 86_400; ) seconds += await toNextAttempt(id)
  receiver.chosen.respond = () => new Response(null, { status: 204 })
  const failed = receiver.events.length
  await toNextAttempt(id)
  await settled()
  const [again, next] = receiver.events.slice(failed)
  expect(receiver.events).toHaveLength(failed + 2)
  expect([again?.id, again?.body]).toEqual([receiver.events[0]?.id, receiver.events[0]?.body])
  const { id: newest } = await createReleases(pool).current()
  expect([next?.data.since_release, next?.data.release]).toEqual([again?.data.release, newest])
  expect(newest).toBeGreaterThan((again?.data.release ?? 0) + 1)
})

test("A receiver chooses the time of the next attempt by Retry-After, and ends the watch by 410", async () => {
  const { id } = await watch({ list: "/reports" })
  receiver.chosen.respond = () =>
    new Response(null, { status: 429, headers: { "Retry-After": "1234" } })
  await service.publish(awkward)
  await until(async () => (await rowOf(id))?.attempt === 1)
  receiver.chosen.respond = () => new Response(null, { status: 410 })
  expect(await toNextAttempt(id)).toBe(1234)
  expect((await rowOf(id))?.state).toBe("disabled")
})

test("With a short Retry-After, attempts are no sooner than without it", async () => {
  const { id } = await watch({ list: "/reports" })
  const headers = { "Retry-After": "1" }
  receiver.chosen.respond = () => new Response(null, { status: 503, headers })
  await service.publish(awkward)
  await until(async () => (await rowOf(id))?.attempt === 1)
  expect((await toNextAttempt(id)) / 5).toBeWithin(0.79, 1.21)
  expect((await toNextAttempt(id)) / 300).toBeWithin(0.79, 1.21)
})

test("A watch that is paused during its last attempt stays paused, and is not reported as disabled", async () => {
  const { id } = await watch({ list: "/reports" })
  const last = Promise.withResolvers<Response>()
  receiver.chosen.respond = () => last.promise
  const before = disabledLines().length
  await service.publish(awkward)
  await until(() => receiver.events.length === 1)
  await change(pauseWatch, id)
  last.resolve(new Response(null, { status: 410 }))
  await until(async () => (await deliveriesOf(pool, { accountId: bench.owner, id })).length === 1)
  // A delivery of another watch is stored after the report would be made.
  receiver.chosen.respond = () => new Response(null, { status: 204 })
  const other = await watch({ list: "/reports" })
  await change(requestTest, other.id)
  await until(async () => !(await rowOf(other.id))?.is_test_due)
  expect([(await rowOf(id))?.state, disabledLines().length - before]).toEqual(["paused", 0])
})

test("An event is sent again after the lease of a process that died, and a late outcome is not stored", async () => {
  const { id } = await watch({ list: "/reports" })
  const first = Promise.withResolvers<Response>()
  receiver.chosen.respond = () => first.promise
  await service.publish(awkward)
  await until(() => receiver.events.length === 1)
  // Another process: the first one looks dead to it once the lease has ended.
  await using _ = await bench.another()
  receiver.chosen.respond = () => new Response(null, { status: 204 })
  await advance(61_000)
  await until(() => receiver.events.length === 2)
  await settled()
  first.resolve(new Response(null, { status: 500 }))
  await until(async () => (await rowOf(id))?.event_id === null)
  await bench.wake()
  expect(receiver.events[1]?.body).toBe(receiver.events[0]?.body ?? "")
  expect(receiver.events[1]?.id).toBe(receiver.events[0]?.id ?? "")
  expect((await rowOf(id))?.attempt).toBe(0)
})

test("A slow receiver holds up two deliveries of its own and no others", async () => {
  const slow = Promise.withResolvers<Response>()
  receiver.chosen.respond = () => slow.promise
  for (let count = 0; count < 5; count++) await watch({ list: "/reports" }, { path: `/${count}` })
  const fast = bench.newReceiver()
  await watch(
    { list: "/reports" },
    { channel: { kind: "webhook", url: `${fast.url}/` }, name: "fast" },
  )
  await service.publish(awkward)
  await until(() => fast.events.length === 1 && receiver.events.length >= 2)
  expect(receiver.events).toHaveLength(2)
  slow.resolve(new Response(null, { status: 204 }))
  receiver.chosen.respond = () => new Response(null, { status: 204 })
  await settled()
  expect(receiver.events).toHaveLength(5)
  await fast.stop()
})

test("An account whose receivers take all places delays others by one attempt", async () => {
  const held: ((response: Response) => void)[] = []
  const slow = Array.from({ length: 20 }, bench.newReceiver)
  for (const { url, chosen } of slow) {
    chosen.respond = () => new Promise((resolve) => held.push(resolve))
    await watch({ releases: true }, { channel: { kind: "webhook", url } })
  }
  await service.sql`update watches set is_test_due = true`
  await bench.wake()
  await until(() => held.length === 16)
  await bench.accountOf("other@example.com")
  await watch({ list: "/reports" }, { email: "other@example.com" })
  await service.publish(awkward)
  const withEvents = () => service.sql`select from watches where event_id is not null`
  await until(async () => (await withEvents()).length === 5)
  held.pop()?.(new Response(null, { status: 204 }))
  await until(() => receiver.events.length === 1)
  expect(held).toHaveLength(15)
  for (const { chosen } of slow) chosen.respond = () => new Response(null, { status: 204 })
  for (const respond of held) respond(new Response(null, { status: 204 }))
  await settled()
  for (const each of slow) await each.stop()
})

test("A test is sent beside the event in progress, and is not retried", async () => {
  const { id } = await watch({ list: "/reports" })
  receiver.chosen.respond = () => new Response(null, { status: 500 })
  await service.publish(awkward)
  await until(async () => (await rowOf(id))?.attempt === 1)
  await change(requestTest, id)
  await until(() => receiver.events.length === 2)
  expect([receiver.events[1]?.type, receiver.events[1]?.data]).toEqual([
    "test",
    { watch: { id, name: "A watch" }, release: (await rowOf(id))?.covered_release },
  ])
  await until(async () => (await deliveriesOf(pool, { accountId: bench.owner, id })).length === 2)
  const row = await rowOf(id)
  expect([row?.attempt, row?.event_id, row?.is_test_due]).toEqual([
    1,
    receiver.events[0]?.id,
    false,
  ])
  await expect(change(requestTest, id)).rejects.toThrow("Wait")
})

test("Both secrets sign for 24 hours after a replacement", async () => {
  const { id } = await watch({ list: "/reports" })
  await change(replaceSecret, id)
  for (const hours of [23, 2]) {
    await advance(hours * 3_600_000)
    await change(requestTest, id)
    await until(async () => !(await rowOf(id))?.is_test_due)
  }
  expect(receiver.events.map(({ signature }) => signature.split(" ").length)).toEqual([2, 1])
})
