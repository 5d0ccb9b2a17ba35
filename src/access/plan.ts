/** The requests per window of each plan. */
import type { Plan } from "../db/account-tables.ts"

export const standardLimit = 1_000

/** @param requestLimit the account's own on the enterprise plan, null on the others */
export const limitOf = (plan: Plan, requestLimit: number | null): number =>
  plan === "admin" ? Number.POSITIVE_INFINITY : (requestLimit ?? standardLimit)
