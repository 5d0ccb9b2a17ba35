/** A caller with a limit, which has to hold whatever breaks. */
import type { Deployment } from "./deployment.ts"

const limit = 30

/** @returns asks until it is refused, and tells how often it was admitted in all */
export async function limitedCaller(deployment: Deployment) {
  const token = await deployment.issueWithLimit(limit)
  let admitted = 0
  /** @returns whether it was admitted */
  async function ask(): Promise<boolean> {
    const answer = await deployment.service.get("/companies/BIG", token)
    await answer.arrayBuffer()
    if (answer.status === 200) admitted++
    return answer.status !== 429
  }
  return {
    limit,
    ask: async (times: number): Promise<void> => {
      for (let asked = 0; asked < times; asked++) await ask()
    },
    /** Asks until it is refused, at most a few times more than it may. */
    admittedInAll: async (): Promise<number> => {
      for (let asked = 0; asked < 2 * limit && (await ask()); asked++);
      return admitted
    },
  }
}
