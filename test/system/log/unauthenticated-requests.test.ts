/** Unauthenticated requests are all counted, and can't flood the log. */

import { expect, test } from "bun:test"
import { createLog } from "../../../src/system/log/log.ts"
import { countUnauthenticated } from "../../../src/system/log/unauthenticated-requests.ts"
import { until } from "../../support/until.ts"

function counted(periodMs?: number) {
  const events: Record<string, unknown>[] = []
  const log = createLog(
    (line) => events.push(JSON.parse(line)),
    () => new Date(0),
  )
  const requests = countUnauthenticated(log, 3, periodMs)
  return { requests, events }
}

test("The first requests of a period are logged, and one line at its end summarizes the rest", () => {
  const { requests, events } = counted()
  const logged = [401, 401, 429, 401, 429, 429].map((status) => requests.count(status))
  expect(logged).toEqual([true, true, true, false, false, false])
  expect(events).toEqual([])
  requests.stop()
  expect(events).toEqual([
    {
      time: "1970-01-01T00:00:00.000Z",
      level: "warn",
      event: "unauthenticated requests not logged",
      by_status: { 401: 1, 429: 2 },
    },
  ])
  expect(requests.totals()).toEqual({ 401: 3, 429: 3 })
})

test("Each period logs its own first requests", async () => {
  const { requests, events } = counted(30)
  for (let count = 0; count < 5; count++) requests.count(401)
  await until(() => events.length === 1)
  expect(events[0]).toMatchObject({ by_status: { 401: 2 } })
  expect(requests.count(401)).toBe(true)
  requests.stop()
  expect(events).toHaveLength(1)
})
