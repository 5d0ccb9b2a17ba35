/** Many callers who ask for the same at once, for the first time. */

import { relayTo, statementObserver } from "../../support/relay.ts"
import { callAll } from "../callers.ts"
import type { Environment } from "../environment.ts"
import type { Row } from "../row.ts"
import { slowFilters, take } from "../slow-requests.ts"

const firstCallersAtOnce = 100

/** A service whose runs of statements that count are counted, however they are cached and shared. */
async function countedService(environment: Environment) {
  let counts = 0
  const url = new URL(environment.url)
  const observer = statementObserver((text) => {
    if (/\bcount\(/i.test(text) && /"?reports"?/.test(text)) counts++
  })
  const relay = await relayTo({ hostname: url.hostname, port: Number(url.port || 5432) }, observer)
  const through = new URL(url)
  through.hostname = "127.0.0.1"
  through.port = String(relay.port)
  const service = await environment.freshService({}, through.href)
  const takeCounts = (): number => {
    const taken = counts
    counts = 0
    return taken
  }
  return { service, relay, takeCounts }
}

export const firstCallers: Row = {
  name: "first-callers",
  work: `${firstCallersAtOnce} first callers of one filter at once`,
  needs: [],
  targets: [
    { figure: "answered with 200", atLeast: firstCallersAtOnce },
    { figure: "times the count ran", atMost: 1 },
    { figure: "until the last is answered" },
    { figure: "one caller of another filter" },
  ],
  run: async (environment) => {
    const { service, relay, takeCounts } = await countedService(environment)
    const token = await environment.token()
    const filters = slowFilters()
    const ask = async (target: string, callers: number) => {
      const job = Array.from({ length: callers }, () => ({ token, targets: [target] }))
      const measured = await callAll({ url: service.url, callers: job })
      const statuses = measured.flatMap(({ statuses }) => statuses)
      return {
        answered: statuses.filter((status) => status === 200).length,
        longestMs: Math.max(...measured.flatMap(({ ms }) => ms)),
        counts: takeCounts(),
      }
    }
    try {
      await ask("/api/v1/reports", 20)
      const crowds = []
      const alone = []
      for (let round = 0; round < environment.rounds; round++) {
        const [one = "", other = ""] = take(filters, 2)
        alone.push(await ask(one, 1))
        crowds.push(await ask(other, firstCallersAtOnce))
      }
      if (alone.some(({ counts }) => counts !== 1)) {
        throw new Error(
          `The count of one caller was seen ${alone.map(({ counts }) => counts)} times`,
        )
      }
      return {
        figures: {
          "answered with 200": { unit: "", samples: crowds.map(({ answered }) => answered) },
          "times the count ran": { unit: "", samples: crowds.map(({ counts }) => counts) },
          "until the last is answered": {
            unit: "ms",
            samples: crowds.map(({ longestMs }) => longestMs),
          },
          "one caller of another filter": {
            unit: "ms",
            samples: alone.map(({ longestMs }) => longestMs),
          },
        },
      }
    } finally {
      await environment.endRow()
      relay.stop()
    }
  },
}
