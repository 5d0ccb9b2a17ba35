/** What callers of slow requests do to a caller of fast ones. */
import { callAll, type Measured } from "../callers.ts"
import type { Environment } from "../environment.ts"
import type { Outcome, Row } from "../row.ts"
import { shortSearches, slowFilters, take } from "../slow-requests.ts"
import { median } from "../statistics.ts"

const slowCallers = 16
const recordsRead = 200

async function besideSlow(environment: Environment, slow: Iterator<string>): Promise<Outcome> {
  const { sql, seconds } = environment
  const service = await environment.freshService()
  const found = await sql<{ id: string }[]>`
    select id from tenements order by md5(id) limit ${recordsRead}`
  const targets = found.map(({ id }) => `/api/v1/tenements/${encodeURIComponent(id)}`)
  const token = await environment.token(0)
  const readRecords = async (): Promise<Measured> => {
    const job = { url: service.url, callers: [{ token, targets }], seconds, repeat: true }
    const [measured] = await callAll(job)
    if (!measured) throw new Error("The caller measured nothing")
    return measured
  }
  const refused = ({ statuses }: Measured) => statuses.filter((status) => status === 503).length
  const tokens = await Promise.all(
    Array.from({ length: slowCallers }, (_, index) => environment.token(1 + index)),
  )
  const aloneMs: number[] = []
  const besideMs: number[] = []
  const refusals: number[] = []
  let slowAnswers = 0
  let slowRefusals = 0
  await readRecords()
  for (let round = 0; round < environment.rounds; round++) {
    aloneMs.push(median((await readRecords()).ms))
    const callers = tokens.map((each) => ({ token: each, targets: take(slow, 500) }))
    const crowd = callAll({ url: service.url, callers, seconds: seconds + 1 })
    await Bun.sleep(500)
    const beside = await readRecords()
    besideMs.push(median(beside.ms))
    refusals.push(refused(beside))
    const answers = await crowd
    slowAnswers += answers.flatMap(({ statuses }) => statuses).length
    slowRefusals += answers.reduce((sum, each) => sum + refused(each), 0)
  }
  return {
    figures: {
      "p50 alone": { unit: "ms", samples: aloneMs },
      "p50 beside them": { unit: "ms", samples: besideMs },
      "503 for the record's caller": { unit: "", samples: refusals },
    },
    notes: [
      `the ${slowCallers} others were answered ${slowAnswers} times, ${slowRefusals} with 503`,
    ],
  }
}

const fairnessRow = (name: string, others: string, slow: () => Iterator<string>): Row => ({
  name,
  work: `one record beside ${slowCallers} callers of ${others}`,
  needs: [],
  targets: [
    { figure: "p50 beside them", over: "p50 alone", atMost: 5 },
    { figure: "503 for the record's caller", atMost: 0 },
  ],
  run: (environment) => besideSlow(environment, slow()),
})

export const fairnessRows = [
  fairnessRow("beside-slow-filters", "slow filters", slowFilters),
  fairnessRow("beside-short-searches", "searches of two letters", shortSearches),
]
