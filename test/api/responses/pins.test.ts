/** All pages of a sequence are of one release, until 15 minutes after the last of them. */
import { expect, test } from "bun:test"
import { createPins, pinSeconds } from "../../../src/api/responses/pins.ts"

const release = (id: number) => ({ id, publishedAt: id * 1000, identity: `identity ${id}` })
const maxBytes = 1_000_000
const idleMs = pinSeconds * 1000

/** Pins of a single process. The test sets the time. */
function singleProcess() {
  const clock = { ms: 1 }
  const { pin, pinned } = createPins({ redis: null, maxBytes, steadyMs: () => clock.ms })
  return { pin, clock, pinnedId: async (sequence: string) => (await pinned(sequence))?.id }
}

test("A pin expires 15 minutes after the last page", async () => {
  const { pin, pinnedId, clock } = singleProcess()
  await pin("a", release(1), "replace")
  for (let page = 2; page < 10; page++) {
    clock.ms += idleMs
    expect(await pinnedId("a")).toBe(1)
  }
  clock.ms += idleMs + 1
  expect(await pinnedId("a")).toBeUndefined()
})

test("Full memory drops the least recently read pins", async () => {
  const { pin, pinnedId } = singleProcess()
  await pin("read", release(1), "replace")
  for (let query = 0; query < 10_000; query++) {
    await pin(`${query}`, release(2), "replace")
    if (query % 100 === 0) expect(await pinnedId("read")).toBe(1)
  }
  expect([await pinnedId("0"), await pinnedId("9999")]).toEqual([undefined, 2])
})

test("A page 1 replaces the pin although an earlier page reads the old pin from Redis meanwhile", async () => {
  const reply = Promise.withResolvers<unknown>()
  let isResponding = true
  const send = async (command: string) => {
    if (!isResponding) return undefined
    return command === "GETEX" ? reply.promise : "OK"
  }
  const { pin, pinned } = createPins({ redis: { send }, maxBytes, steadyMs: () => 1 })
  const earlier = pinned("a")
  pin("a", release(2), "replace")
  reply.resolve(JSON.stringify(release(1)))
  expect(await earlier).toEqual(release(1))
  isResponding = false
  expect(await pinned("a")).toEqual(release(2))
})
