/**
 * Ten times the load that can be served. What can be served is bounded by a database that takes its
 * time, and not by the processor, which the database and the callers share with the service here.
 */
import postgres from "postgres"
import { ownServer } from "../../support/own-server.ts"
import { callAll } from "../callers.ts"
import { ensureLoaded } from "../data.ts"
import type { Environment } from "../environment.ts"
import { sendOpenLoop } from "../open-loop.ts"
import { issueUnlimited } from "../own-accounts.ts"
import type { Outcome, Row } from "../row.ts"
import { take } from "../slow-requests.ts"
import { quantile } from "../statistics.ts"

const sizes = { tenements: 1_000, reports: 2_000 }
const accounts = 16
const times = 10

/** Each statement on the reports takes as long. */
const slowReports = `
  alter table reports rename to reports_kept;
  create view reports as select kept.* from reports_kept kept, (select pg_sleep(0.1)) pause`

/** Pages of which none is asked for twice. */
function* pages(): Generator<string> {
  for (let day = 0; ; day++) {
    const from = new Date(Date.UTC(1970, 0, 1 + day)).toISOString().slice(0, 10)
    yield `/api/v1/reports?from=${from}`
  }
}

async function measure(
  { rounds, seconds }: Environment,
  url: string,
  tokens: readonly string[],
): Promise<Outcome> {
  const asked = pages()
  const best: number[] = []
  const under: number[] = []
  const p95Ms: number[] = []
  const slowestMs: number[] = []
  const notes: string[] = []
  for (let round = 0; round < rounds; round++) {
    const callers = tokens.map((token) => ({ token, targets: take(asked, 200) }))
    const measured = await callAll({ url, callers, seconds })
    const served = measured.flatMap(({ statuses }) => statuses).filter((each) => each === 200)
    const rate = served.length / seconds
    const targets = take(asked, times * rate * seconds)
    const outcome = await sendOpenLoop({ url, tokens, targets, rate: times * rate, seconds })
    best.push(rate)
    under.push((outcome.statuses["200"] ?? 0) / outcome.seconds)
    p95Ms.push(quantile([0, ...outcome.refusedMs], 0.95))
    slowestMs.push(quantile([0, ...outcome.refusedMs], 1))
    notes.push(
      `round ${round + 1}: ${(times * rate).toFixed(0)} requests a second; ${JSON.stringify(outcome.statuses)}`,
    )
  }
  return {
    figures: {
      "served at best": { unit: "requests/s", samples: best },
      "served under overload": { unit: "requests/s", samples: under },
      "p95 of refusals": { unit: "ms", samples: p95Ms },
      "slowest refusal": { unit: "ms", samples: slowestMs },
    },
    notes,
  }
}

/** @param settings of the service, beside a cache that has no room for the responses */
const overloadOf = (name: string, queue: string, settings: Record<string, string>): Row => ({
  name,
  work: `${times} times the load that can be served, ${queue}`,
  needs: [],
  targets: [
    { figure: "served under overload", over: "served at best", atLeast: 0.8 },
    { figure: "p95 of refusals", atMost: 50 },
    { figure: "slowest refusal" },
  ],
  run: async (environment) => {
    const server = await ownServer()
    const sql = postgres(server.url, { max: 1, onnotice: () => {} })
    try {
      await ensureLoaded(server.url, sql, sizes, environment.log)
      const tokens = await issueUnlimited(server.url, accounts)
      const { url } = await environment.freshService(
        { CACHE_MEMORY_MB: "1", ...settings },
        server.url,
      )
      await sql.unsafe(slowReports)
      return await measure(environment, url, tokens)
    } finally {
      await sql.end({ timeout: 1 })
      await server.stop()
    }
  },
})

export const overloadRows: readonly Row[] = [
  // What waits is bounded by how long it would wait.
  overloadOf("overload", "with the default queue", {}),
  // What waits is bounded by the length of the queue.
  overloadOf("overload-short-queue", "with a short queue", { QUEUE_LENGTH: "100" }),
]
