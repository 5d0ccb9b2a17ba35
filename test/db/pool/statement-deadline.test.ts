/** After a statement missed its deadline, the next ones fail fast until the database answers again. */
import { expect, test } from "bun:test"
import { createStatementDeadline } from "../../../src/db/pool/statement-deadline.ts"
import { Unavailable } from "../../../src/db/pool/unavailable.ts"

const noted = () => {}
const never = new Promise<string>(() => {})

test("a statement that ends in time gives its result or its error", async () => {
  const { within } = createStatementDeadline({
    deadlineMs: 60_000,
    failFastMs: 60_000,
    giveUpAfterMs: 60_000,
  })
  expect(await within(Promise.resolve("rows"), noted)).toBe("rows")
  await expect(within(Promise.reject(new Error("broken")), noted)).rejects.toThrow("broken")
})

test("after a statement missed its deadline, the next fail fast until one is answered", async () => {
  const deadline = createStatementDeadline({ deadlineMs: 50, failFastMs: 5, giveUpAfterMs: 60_000 })
  const silent = Promise.withResolvers<string>()
  const refused = deadline.within(silent.promise, noted)
  await expect(refused).rejects.toBeInstanceOf(Unavailable)
  await expect(refused).rejects.toThrow("within 50 ms")
  expect(deadline.isAnswering).toBe(false)
  await expect(deadline.within(never, noted)).rejects.toThrow("within 5 ms")
  silent.resolve("late")
  await silent.promise
  await expect(deadline.within(Promise.resolve("soon"), noted)).resolves.toBe("soon")
  expect(deadline.isAnswering).toBe(true)
  await expect(deadline.within(never, noted)).rejects.toThrow("within 50 ms")
})

test("a statement that stays without an answer is given up once, after which nothing has answered", async () => {
  const deadline = createStatementDeadline({ deadlineMs: 20, failFastMs: 5, giveUpAfterMs: 10 })
  for (const expectedMs of [30, 30]) {
    const silent = Promise.withResolvers<string>()
    const startedMs = performance.now()
    const given: number[] = []
    const refused = deadline.within(silent.promise, () => {
      given.push(performance.now() - startedMs)
      silent.reject(new Error("ended"))
    })
    await expect(refused).rejects.toBeInstanceOf(Unavailable)
    await expect(silent.promise).rejects.toThrow("ended")
    expect(given).toHaveLength(1)
    expect(given[0]).toBeGreaterThan(expectedMs - 2)
    expect(deadline.isAnswering).toBe(false)
  }
})

test("an error is an answer too", async () => {
  const deadline = createStatementDeadline({
    deadlineMs: 1,
    failFastMs: 60_000,
    giveUpAfterMs: 60_000,
  })
  await expect(deadline.within(never, noted)).rejects.toBeInstanceOf(Unavailable)
  await expect(deadline.within(Promise.reject(new Error("refused")), noted)).rejects.toThrow(
    "refused",
  )
  expect(deadline.isAnswering).toBe(true)
})
