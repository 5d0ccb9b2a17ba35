/** Plans and what each allows, in requests per window. */
export const plans = ["standard", "enterprise", "admin"] as const
export type Plan = (typeof plans)[number]

export const standardLimit = 1_000

/** Requests per window: infinite on the admin plan; an enterprise account has a number of its own. */
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
