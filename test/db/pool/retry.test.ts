/** An idempotent task is retried for ten seconds while the database is unavailable. */
import { expect, test } from "bun:test"
import { retryWhileUnavailable } from "../../../src/db/pool/retry.ts"
import { Unavailable } from "../../../src/db/pool/unavailable.ts"

/** Runs a task that fails for `failsForMs`, on a clock that each pause advances by a second. */
async function retried(failure: Error, failsForMs: number) {
  let ms = 0
  let attempts = 0
  const outcome = await retryWhileUnavailable(
    async () => {
      attempts++
      if (ms < failsForMs) throw failure
      return "done"
    },
    {
      nowMs: () => ms,
      pause: async () => {
        ms += 1_000
      },
    },
  ).catch((error: unknown) => error)
  return { outcome, attempts }
}

test("a task is retried until the database is available", async () => {
  const away = new Unavailable("away")
  expect(await retried(away, 0)).toEqual({ outcome: "done", attempts: 1 })
  expect(await retried(away, 9_500)).toEqual({ outcome: "done", attempts: 11 })
})

test("a task fails where the database is unavailable for more than ten seconds", async () => {
  const away = new Unavailable("away")
  expect(await retried(away, 60_000)).toEqual({ outcome: away, attempts: 11 })
})

test("a failure of another kind is not retried", async () => {
  const lost = new Error("Release 1 lost records")
  expect(await retried(lost, 1)).toEqual({ outcome: lost, attempts: 1 })
})
