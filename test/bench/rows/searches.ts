/** Searches of any length, with their totals. */
import { call } from "../callers.ts"
import type { Environment } from "../environment.ts"
import type { Row } from "../row.ts"
import { median, quantile } from "../statistics.ts"

/** Some that are frequent in names and titles, and some that hardly occur. */
const shortTerms = ["e", "q", "an", "re", "zx", "qj", "vx", "0z"]

const searchesOf = (term: string) => [
  `/api/v1/reports?search=${encodeURIComponent(term)}`,
  `/api/v1/tenements?holder=${encodeURIComponent(term)}`,
]

async function scanMs({ sql }: Environment, term: string): Promise<number> {
  const startedMs = performance.now()
  await sql.begin("read only", async (tx) => {
    await tx`set local enable_bitmapscan = off`
    await tx`select count(*) from reports where title_folded like ${`%${term}%`}`
  })
  return performance.now() - startedMs
}

const searchShort: Row = {
  name: "search-short",
  work: "a search of one or two letters",
  needs: [],
  targets: [
    { figure: "slowest first", atMost: 400 },
    { figure: "p95 again", atMost: 5 },
    { figure: "sequential scan of reports" },
  ],
  run: async (environment) => {
    const token = await environment.token()
    const targets = shortTerms.flatMap(searchesOf)
    const first: number[] = []
    const again: number[] = []
    const scan: number[] = []
    for (let round = 0; round < environment.rounds; round++) {
      const { url } = await environment.freshService()
      await call(url, token, ["/api/v1/reports", "/api/v1/tenements"])
      first.push(Math.max(...(await call(url, token, targets))))
      again.push(quantile(await call(url, token, targets), 0.95))
      scan.push(await scanMs(environment, "zx"))
      await environment.endRow()
    }
    return {
      figures: {
        "slowest first": { unit: "ms", samples: first },
        "p95 again": { unit: "ms", samples: again },
        "sequential scan of reports": { unit: "ms", samples: scan },
      },
    }
  },
}

const termsEach = 30

/** Parts of texts that are there, of three to eight characters. */
async function longTerms({ sql }: Environment): Promise<string[]> {
  const texts = await sql<{ text: string }[]>`
    (select title_folded as text from reports order by md5(hash) limit ${termsEach})
    union all
    (select holder_name_folded from tenements where holder_name is not null
     order by md5(id) limit ${termsEach})`
  return texts.map(({ text }, index) => {
    const length = 3 + (index % 6)
    const start = Math.max(0, Math.floor((text.length - length) / 2))
    return text
      .slice(start, start + length)
      .trim()
      .padEnd(3, "a")
  })
}

const searchLong: Row = {
  name: "search-long",
  work: "a first search of three letters or more, total included",
  needs: [],
  targets: [{ figure: "p95", atMost: 250 }, { figure: "p50" }],
  run: async (environment) => {
    const token = await environment.token()
    const targets = (await longTerms(environment)).flatMap(searchesOf)
    const p50: number[] = []
    const p95: number[] = []
    for (let round = 0; round < environment.rounds; round++) {
      const { url } = await environment.freshService()
      await call(url, token, ["/api/v1/reports", "/api/v1/tenements"])
      const ms = await call(url, token, targets)
      p50.push(median(ms))
      p95.push(quantile(ms, 0.95))
      await environment.endRow()
    }
    return {
      figures: { p50: { unit: "ms", samples: p50 }, p95: { unit: "ms", samples: p95 } },
    }
  },
}

export const searchRows = [searchShort, searchLong]
