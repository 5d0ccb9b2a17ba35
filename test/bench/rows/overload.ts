/** Ten times the load that can be served. */
import type { Row } from "../bench.ts"
import { send, sendAtRate } from "../clients.ts"
import type { Checkout, Environment } from "../environment.ts"
import { type Figures, type Measure, quantile, rounds } from "../rounds.ts"

const accounts = 16
const times = 10

/** Each statement on the reports takes as long, so that the processor is not the bound. */
const slowReports = `
  alter table reports rename to reports_kept;
  create view reports as select kept.* from reports_kept kept, (select pg_sleep(0.1)) pause`

async function overloaded(
  { seconds }: Environment,
  checkout: Checkout,
  databaseUrl: string,
): Promise<Measure> {
  const tokens: string[] = []
  for (let index = 0; index < accounts; index++) {
    tokens.push(await checkout.token(`overload-${index}`, { databaseUrl }))
  }
  const { url } = await checkout.start({ CACHE_MEMORY_MB: "1" }, databaseUrl)
  let day = 0
  /** First pages, none of them requested twice. */
  const pages = (count: number): string[] =>
    Array.from({ length: count }, () => {
      const from = new Date(Date.UTC(1970, 0, 1 + ++day)).toISOString().slice(0, 10)
      return `/api/v1/reports?from=${from}`
    })
  return async () => {
    const callers = tokens.map((token) => send(url, token, pages(200), seconds))
    const statuses = (await Promise.all(callers)).flatMap(({ statuses }) => statuses)
    const best = statuses.filter((status) => status === 200).length / seconds
    const sent = await sendAtRate(url, tokens, pages(times * best * seconds), seconds)
    return {
      "served under overload / at best": sent.served / sent.seconds / best,
      "p95 of rejections, ms": quantile([0, ...sent.rejectedMs], 0.95),
      "slowest rejection, ms": quantile([0, ...sent.rejectedMs], 1),
      "until the last response, s": sent.seconds,
    }
  }
}

export const overload: Row = {
  name: "overload",
  work: `${times} times the load that can be served, by ${accounts} accounts`,
  run: async (environment) => {
    const figures: Figures = {}
    for (const checkout of environment.checkouts) {
      const sizes = { tenements: 1_000, reports: 2_000 }
      const measured = await checkout.withDatabase(sizes, async (url, sql) => {
        const measure = await overloaded(environment, checkout, url)
        await sql.unsafe(slowReports)
        return rounds(environment.rounds, { [checkout.name]: measure })
      })
      for (const [figure, sides] of Object.entries(measured)) {
        figures[figure] = { ...figures[figure], ...sides }
      }
    }
    return figures
  },
}
