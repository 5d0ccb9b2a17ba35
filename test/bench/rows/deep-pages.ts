/** Jumps to random pages far from the beginning of a list, and past its end. */
import { call } from "../callers.ts"
import type { Environment } from "../environment.ts"
import type { Outcome, Row } from "../row.ts"
import { median, quantile } from "../statistics.ts"

const jumps = 60

async function deepJumps(
  environment: Environment,
  resource: "tenements" | "reports",
): Promise<Outcome> {
  const pages = Math.ceil(environment.counted[resource] / 50)
  const token = await environment.token()
  const first: number[] = []
  const later: number[] = []
  const past: number[] = []
  const page1: number[] = []
  const pathOf = (page: number) => `/api/v1/${resource}?page=${page}`
  const randomPage = () => Math.ceil((0.1 + 0.9 * Math.random()) * pages)
  for (let round = 0; round < environment.rounds; round++) {
    const service = await environment.freshService()
    const ask = (targets: string[]) => call(service.url, token, targets)
    // The total is counted first, and the connections are open.
    await ask([pathOf(1), pathOf(2)])
    first.push(...(await ask([pathOf(randomPage())])))
    later.push(quantile(await ask(Array.from({ length: jumps }, () => pathOf(randomPage()))), 0.95))
    const beyond = Array.from({ length: 10 }, (_, index) => pathOf(pages + 1 + index * pages))
    past.push(quantile(await ask(beyond), 0.95))
    page1.push(median(await ask(Array.from({ length: 10 }, () => pathOf(1)))))
    await environment.endRow()
  }
  return {
    figures: {
      "first jump": { unit: "ms", samples: first },
      "p95 of later jumps": { unit: "ms", samples: later },
      "p95 past the end": { unit: "ms", samples: past },
      "page 1": { unit: "ms", samples: page1 },
    },
  }
}

const deepJumpRow = (resource: "tenements" | "reports"): Row => ({
  name: `deep-${resource}`,
  work: `a jump to a random deep page of ${resource}`,
  needs: [],
  targets: [
    { figure: "first jump", atMost: 300 },
    { figure: "p95 of later jumps", atMost: 25 },
    { figure: "p95 past the end", atMost: 5 },
    { figure: "page 1" },
  ],
  run: (environment) => deepJumps(environment, resource),
})

export const deepPageRows = [deepJumpRow("tenements"), deepJumpRow("reports")]
