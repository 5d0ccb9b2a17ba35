/** All pages of a list in order. */
import { call } from "../callers.ts"
import type { Row } from "../row.ts"
import { median } from "../statistics.ts"

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

const million = 1_000_000
const pagesAtAnEnd = 100
const perPage = 100

export const crawl: Row = {
  name: "crawl",
  work: `a crawl of all tenements, ${perPage} a page`,
  needs: [],
  targets: [
    { figure: "ours", atMost: 10 },
    { figure: "last hundred pages", over: "first hundred pages", atMost: 1.2 },
  ],
  run: async (environment) => {
    const { counted } = environment
    const token = await environment.token()
    const service = await environment.freshService()
    const crawls = counted.tenements < million / 4 ? environment.rounds : 1
    const pages = Math.ceil(counted.tenements / perPage)
    const targets = Array.from(
      { length: pages },
      (_, index) => `/api/v1/tenements?per_page=${perPage}&page=${index + 1}`,
    )
    const total: number[] = []
    const first: number[] = []
    const last: number[] = []
    for (let round = 0; round < crawls; round++) {
      environment.log(`crawl ${round + 1} of ${crawls}`)
      const ms = await call(service.url, token, targets)
      total.push((sum(ms) / 1000) * (million / counted.tenements))
      // Medians, since a single pause would outweigh a hundred pages; the caller itself warms up.
      first.push(median(ms.slice(5, pagesAtAnEnd)))
      last.push(median(ms.slice(-pagesAtAnEnd)))
    }
    return {
      figures: {
        ours: { unit: "s per million", samples: total },
        "first hundred pages": { unit: "ms", samples: first },
        "last hundred pages": { unit: "ms", samples: last },
      },
    }
  },
}
