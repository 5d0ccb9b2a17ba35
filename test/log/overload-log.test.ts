/** A flood of an account is one warning a second. */
import { expect, test } from "bun:test"
import { createOverloadLog } from "../../src/log/overload-log.ts"
import { until } from "../support/until.ts"

test("the log has at most one line a second for each account, with the number of its requests", async () => {
  const lines: object[] = []
  const overload = createOverloadLog({ warn: (event, fields) => lines.push({ event, ...fields }) })
  for (const account of [1, 1, 2, 0, 1]) overload.count(account, "full")
  expect(lines).toEqual([])
  await until(() => lines.length > 0)
  const event = "requests rejected"
  expect(lines).toEqual([
    { event, "mds.account": 1, requests: 3, reason: "full" },
    { event, "mds.account": 2, requests: 1, reason: "full" },
    { event, "mds.account": undefined, requests: 1, reason: "full" },
  ])
  overload.count(2, "full")
  overload.stop()
  expect(lines.slice(3)).toEqual([{ event, "mds.account": 2, requests: 1, reason: "full" }])
})
