/** A plan that is cached is that of the same request target and format. */
import { expect, test } from "bun:test"
import { createPlans } from "../../src/answers/cached-plans.ts"
import { listEndpoint } from "../../src/answers/list-endpoint.ts"
import { reports } from "../../src/resources/reports.ts"

const endpoint = listEndpoint({ resource: reports, filters: ["search"] })
const path = "/api/v1/reports"

test("the same target and format have one plan, and others have their own", () => {
  const planOf = createPlans({ plans: 1_000_000 })
  const target = { path, query: "search=gold", format: "json" } as const
  const plan = planOf(endpoint, target, "")
  expect(planOf(endpoint, { ...target }, "")).toBe(plan)
  expect(planOf(endpoint, { ...target, format: "csv" }, "").format).toBe("csv")
  expect(planOf(endpoint, { ...target, query: "search=iron" }, "").list.bound).toEqual({
    search: "%iron%",
  })
})
