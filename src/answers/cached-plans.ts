import { type CacheSizes, createCache } from "../db/cache.ts"
import { digest } from "../text/digest.ts"
import type { Target } from "./asked.ts"
import type { ListEndpoint } from "./list-endpoint.ts"
import { type ListPlan, planList } from "./list-plan.ts"

/** Of a plan without its texts. */
const planBytes = 1_500

/** The texts of a query are in its list's identity, in its links, and in the values that filters bind. */
const bytesOf = ({ list }: ListPlan): number => planBytes + 6 * list.identity.length

/**
 * @param parent the key of the record that the list belongs to, as the path has it
 * @throws as `planList` does
 */
export type PlanOf = (endpoint: ListEndpoint, target: Target, parent: string) => ListPlan

/**
 * `planList` for requests that come again: a plan follows from the request target and the preferred
 * format alone. It is cached by a digest of them, because a query may contain a token.
 */
export function createPlans(sizes: Pick<CacheSizes, "plans">): PlanOf {
  const plans = createCache<ListPlan>(sizes.plans, bytesOf)

  return (endpoint, target, parent) => {
    const key = digest(`${target.format} ${target.path}?${target.query}`)
    const cached = plans.get(key)
    if (cached) return cached
    const plan = planList(endpoint, target, parent)
    plans.set(key, plan)
    return plan
  }
}
