/** A plan that is cached is that of the same request target and format. */
import { expect, test } from "bun:test"
import { createPlans } from "../../src/answers/cached-plans.ts"
import { listEndpoint } from "../../src/answers/list-endpoint.ts"
import { reports } from "../../src/resources/reports.ts"

const list = {
  endpoint: listEndpoint({ resource: reports, filters: ["search"] }),
  parent: "",
}
const path = "/api/v1/reports"

test("the same target and format have one plan, and others have their own", () => {
  const planOf = createPlans({ plans: 1_000_000 })
  const target = { path, query: "search=gold", format: "json" } as const
  const plan = planOf(list, target)
  expect(planOf(list, { ...target })).toBe(plan)
  expect(planOf(list, { ...target, format: "csv" }).format).toBe("csv")
  expect(planOf(list, { ...target, query: "search=iron" }).list.bound).toEqual({
    search: "%iron%",
  })
})
