/** A step that waits for a server ends with its time or its signal, and fails once. */
import { expect, test } from "bun:test"
import { withinLimit } from "../../src/fetching/deadline.ts"

test("a step that fails after its signal had fired is of no interest", async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on("unhandledRejection", note)
  const step = Promise.withResolvers<void>()
  const late = () => new Error("late")
  const limited = withinLimit(step.promise, 10_000, AbortSignal.abort("ended"), late)
  expect(await limited.catch((error: unknown) => error)).toBe("ended")
  step.reject(new Error("cut off"))
  await new Promise(setImmediate)
  process.off("unhandledRejection", note)
  expect(unhandled).toEqual([])
})
