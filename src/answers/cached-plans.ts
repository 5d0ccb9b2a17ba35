import { type CacheSizes, createCache } from "../db/cache.ts"
import { digest } from "../text/digest.ts"
import type { RequestedList } from "./list-endpoint.ts"
import { type ListPlan, type ListTarget, planList } from "./list-plan.ts"

/** Of a plan without its texts. */
const planBytes = 1_500

/** The texts of a query are in its key, in its list's identity, and in the values that filters bind. */
const bytesOf = ({ key, list }: ListPlan): number =>
  planBytes + 3 * (key.length + list.identity.length)

/** @throws as `planList` does */
export type PlanOf = (list: RequestedList, target: ListTarget) => ListPlan

/**
 * `planList` for requests that come again: a plan follows from the request target and the preferred
 * format alone. It is cached by a digest of them, because a query may contain a token.
 */
export function createPlans(sizes: Pick<CacheSizes, "plans">): PlanOf {
  const plans = createCache<ListPlan>(sizes.plans, bytesOf)

  return ({ endpoint, parent }, target) => {
    const key = digest(`${target.format} ${target.path}?${target.query}`)
    const cached = plans.get(key)
    if (cached) return cached
    const plan = planList(endpoint, target, parent)
    plans.set(key, plan)
    return plan
  }
}
