import { expect, test } from "bun:test"
import { createGate } from "../../src/db/gate.ts"
import { Unavailable } from "../../src/db/unavailable.ts"

const options = {
  places: 2,
  queueLength: 2,
  waitMs: 60_000,
  deadlineMs: 60_000,
  impatientMs: 60_000,
}

/** A task that ends when it is told to, and whether it was begun. */
function task() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const state = {
    begun: false,
    resolve,
    reject,
    run: () => {
      state.begun = true
      return promise
    },
  }
  return state
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test("as many tasks run as there are places, the rest wait their turn", async () => {
  const gate = createGate(options)
  const tasks = [task(), task(), task(), task()]
  const results = tasks.map(({ run }) => gate.run(run))
  await settled()
  expect(tasks.map(({ begun }) => begun)).toEqual([true, true, false, false])
  expect(gate.load()).toEqual({ running: 2, waiting: 2 })
  tasks[1]?.resolve("b")
  expect(await results[1]).toBe("b")
  await settled()
  expect(tasks.map(({ begun }) => begun)).toEqual([true, true, true, false])
  for (const [index, { resolve }] of tasks.entries()) resolve("abcd"[index] ?? "")
  expect(await Promise.all(results)).toEqual(["a", "b", "c", "d"])
  expect(gate.load()).toEqual({ running: 0, waiting: 0 })
})

test("who finds the queue full is refused at once", async () => {
  const gate = createGate({ ...options, queueLength: 0, places: 1 })
  const first = task()
  const result = gate.run(first.run)
  await expect(gate.run(task().run)).rejects.toBeInstanceOf(Unavailable)
  first.resolve("done")
  await result
  expect(await gate.run(async () => "again")).toBe("again")
})

test("a task that fails gives its place to the next, and its error to its caller", async () => {
  const gate = createGate({ ...options, places: 1 })
  const results = await Promise.allSettled([
    gate.run(() => Promise.reject(new Error("broken"))),
    gate.run(async () => "next"),
  ])
  expect(results).toMatchObject([
    { status: "rejected", reason: { message: "broken" } },
    { status: "fulfilled", value: "next" },
  ])
  expect(gate.load()).toEqual({ running: 0, waiting: 0 })
})

test("a task that throws before it begins gives its place back too", async () => {
  const gate = createGate({ ...options, places: 1 })
  const thrown = gate.run(() => {
    throw new Error("at once")
  })
  await expect(thrown).rejects.toThrow("at once")
  expect(gate.load()).toEqual({ running: 0, waiting: 0 })
})

test("who waits too long is refused, and never runs", async () => {
  const gate = createGate({ ...options, places: 1, waitMs: 1 })
  const [first, second] = [task(), task()]
  const result = gate.run(first.run)
  await expect(gate.run(second.run)).rejects.toBeInstanceOf(Unavailable)
  first.resolve("done")
  await result
  await settled()
  expect(second.begun).toBe(false)
  expect(gate.load()).toEqual({ running: 0, waiting: 0 })
})

test("a task that takes too long keeps its place though its caller has gone", async () => {
  const gate = createGate({ ...options, places: 1, deadlineMs: 1 })
  const slow = task()
  await expect(gate.run(slow.run)).rejects.toBeInstanceOf(Unavailable)
  expect(gate.load()).toEqual({ running: 1, waiting: 0 })
  const next = task()
  const waiting = gate.run(next.run)
  await settled()
  expect(next.begun).toBe(false)
  slow.reject(new Error("late"))
  await settled()
  next.resolve("in time")
  expect(await waiting).toBe("in time")
  expect(gate.load()).toEqual({ running: 0, waiting: 0 })
})

test("after a statement without an answer the next are refused soon, until one is answered", async () => {
  const gate = createGate({ ...options, places: 3, deadlineMs: 50, impatientMs: 5 })
  const silent = [task(), task()]
  await expect(gate.run(silent[0]?.run ?? (() => Promise.resolve("")))).rejects.toThrow(
    "within 50 ms",
  )
  await expect(gate.run(silent[1]?.run ?? (() => Promise.resolve("")))).rejects.toThrow(
    "within 5 ms",
  )
  for (const each of silent) each.resolve("late")
  await settled()
  await expect(gate.run(() => new Promise(() => {}))).rejects.toThrow("within 50 ms")
})
