/** A fault: what breaks, how it is mended, and what callers get meanwhile. */
import { type Callers, callersOf, type Observed } from "./callers.ts"
import type { Deployment } from "./deployment.ts"

export interface Fault {
  name: string
  /** Returns once it has happened. */
  cause(deployment: Deployment): Promise<unknown>
  mend(deployment: Deployment): Promise<unknown>
  /** Waits for what shows that the fault is over, besides that callers are served. */
  isOver?(deployment: Deployment): Promise<void>
  /** The statuses that callers get while it lasts, besides exports that break off as it begins. */
  statuses: readonly ("200" | "503")[]
}

export interface Outcome extends Observed {
  /** From the end of the fault until every caller is served. */
  recoveryMs: number
}

/** How many responses each caller gets while a fault lasts. */
const rounds = 4

/** Causes a fault under load, lets it last, and mends it. */
export async function endure(deployment: Deployment, fault: Fault): Promise<Outcome> {
  const { service, token } = deployment
  const callers = await callersOf({ url: service.url, token })
  const observed = callers.observe()
  try {
    const recoveryMs = await breakAndMend(deployment, fault, callers)
    return { ...observed, recoveryMs }
  } finally {
    await callers.stop()
  }
}

async function breakAndMend(
  deployment: Deployment,
  { cause, mend, isOver }: Fault,
  callers: Callers,
): Promise<number> {
  try {
    await cause(deployment)
    for (let round = 0; round < rounds; round++) await callers.nextRound()
  } finally {
    await mend(deployment)
  }
  const startedMs = performance.now()
  await Promise.all([callers.allServed(), isOver?.(deployment)])
  return performance.now() - startedMs
}
