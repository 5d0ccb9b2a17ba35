/** The requests per window of each plan. */
import type { Plan } from "../db/account-tables.ts"

export const standardLimit = 1_000

/** Requests per window: infinite on the admin plan, set per account on the enterprise plan. */
export function limitOf(plan: Plan, requestLimit: number | null): number {
  switch (plan) {
    case "standard":
      return standardLimit
    case "enterprise":
      return requestLimit ?? standardLimit
    case "admin":
      return Number.POSITIVE_INFINITY
  }
}
