/** A result is computed once for all callers, and a failure is not cached. */
import { expect, test } from "bun:test"
import { once } from "../../../src/system/text/memoized.ts"

test("All callers get the result of the first call", async () => {
  let calls = 0
  const get = once(async () => ++calls)
  expect(await Promise.all([get(), get()])).toEqual([1, 1])
  expect(await get()).toBe(1)
})

test("After a failure the next call tries again", async () => {
  let calls = 0
  const get = once(async () => {
    if (++calls === 1) throw new Error("no")
    return calls
  })
  expect(await get().catch((error: Error) => error.message)).toBe("no")
  expect(await get()).toBe(2)
})
