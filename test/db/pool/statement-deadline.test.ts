/** After a statement missed its deadline, the next ones fail fast until the database answers again. */
import { expect, test } from "bun:test"
import { createStatementDeadline } from "../../../src/db/pool/statement-deadline.ts"
import { Unavailable } from "../../../src/db/pool/unavailable.ts"

const never = new Promise<string>(() => {})

test("a statement that ends in time gives its result or its error", async () => {
  const { within } = createStatementDeadline({ deadlineMs: 60_000, failFastMs: 60_000 })
  expect(await within(Promise.resolve("rows"))).toBe("rows")
  await expect(within(Promise.reject(new Error("broken")))).rejects.toThrow("broken")
})

test("after a statement missed its deadline, the next fail fast until one is answered", async () => {
  const deadline = createStatementDeadline({ deadlineMs: 50, failFastMs: 5 })
  const silent = Promise.withResolvers<string>()
  const refused = deadline.within(silent.promise)
  await expect(refused).rejects.toBeInstanceOf(Unavailable)
  await expect(refused).rejects.toThrow("within 50 ms")
  expect(deadline.isAnswering).toBe(false)
  await expect(deadline.within(never)).rejects.toThrow("within 5 ms")
  silent.resolve("late")
  await silent.promise
  await expect(deadline.within(Promise.resolve("soon"))).resolves.toBe("soon")
  expect(deadline.isAnswering).toBe(true)
  await expect(deadline.within(never)).rejects.toThrow("within 50 ms")
})

test("an error is an answer too", async () => {
  const deadline = createStatementDeadline({ deadlineMs: 1, failFastMs: 60_000 })
  await expect(deadline.within(never)).rejects.toBeInstanceOf(Unavailable)
  await expect(deadline.within(Promise.reject(new Error("refused")))).rejects.toThrow("refused")
  expect(deadline.isAnswering).toBe(true)
})
