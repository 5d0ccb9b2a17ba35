/** How long single requests take: crawls, jumps, searches, and many callers at once. */
import type { Row } from "../bench.ts"
import { call } from "../clients.ts"
import { type Checkout, type Environment, measureCheckouts } from "../environment.ts"
import { median, quantile } from "../rounds.ts"

type Read = (targets: readonly string[]) => Promise<number[]>

/** A row that measures requests to a service that has just started. */
const waitRow = (
  name: string,
  work: string,
  measure: (environment: Environment, read: Read) => Promise<Record<string, number>>,
): Row => ({
  name,
  work,
  run: (environment) =>
    measureCheckouts(environment, async (checkout: Checkout) => {
      const token = await checkout.token()
      return async () => {
        const { url, stop } = await checkout.start()
        await call(url, token, ["/api/v1/reports", "/api/v1/tenements"])
        const measured = await measure(environment, (targets) => call(url, token, targets))
        await stop()
        return measured
      }
    }),
})

const million = 1_000_000
const perPage = 100
const pagesAtAnEnd = 100

const crawl = waitRow(
  "crawl",
  `a crawl of all tenements, ${perPage} a page`,
  async ({ sizes: { tenements } }, read) => {
    const path = (_: unknown, index: number) =>
      `/api/v1/tenements?per_page=${perPage}&page=${index + 1}`
    const pages = Math.ceil(tenements / perPage)
    const jump = await read([path(null, Math.floor(0.9 * pages))])
    const ms = await read(Array.from({ length: pages }, path))
    const seconds = ms.reduce((sum, each) => sum + each, 0) / 1000
    return {
      "jump to a deep page first, ms": median(jump),
      "s for a million": (seconds * million) / tenements,
      "last hundred pages / first hundred":
        median(ms.slice(-pagesAtAnEnd)) / median(ms.slice(0, pagesAtAnEnd)),
    }
  },
)

/** Some that are frequent in names and titles, and some that hardly occur. */
const shortTerms = ["e", "q", "an", "re", "zx", "qj", "vx", "0z"]

const searchesOf = (term: string) => [
  `/api/v1/reports?search=${encodeURIComponent(term)}`,
  `/api/v1/tenements?holder=${encodeURIComponent(term)}`,
]

/** Parts of stored texts, of three to eight characters. */
async function longTerms({ sql }: Environment): Promise<string[]> {
  const texts = await sql<{ text: string }[]>`
    (select title_folded as text from reports order by md5(hash) limit 30)
    union all
    (select holder_name_folded from tenements where holder_name is not null order by md5(id) limit 30)`
  return texts.map(({ text }, index) =>
    text
      .slice(2, 5 + (index % 6))
      .trim()
      .padEnd(3, "a"),
  )
}

const search = waitRow("search", "searches, total included", async (environment, read) => {
  const short = shortTerms.flatMap(searchesOf)
  const long = (await longTerms(environment)).flatMap(searchesOf)
  return {
    "one or two letters: slowest, ms": quantile(await read(short), 1),
    "three letters or more: p95, ms": quantile(await read(long), 0.95),
    "again: p95, ms": quantile(await read([...short, ...long]), 0.95),
  }
})

const callersAtOnce = 100

const firstCallers = waitRow(
  "first-callers",
  `${callersAtOnce} first callers of one filter at once, beside one caller of another`,
  async (_, read) => {
    const filter = (from: string) =>
      `/api/v1/reports?search=re&type=progress%20report&from=${from}-01-01`
    const alone = await read([filter("1990")])
    const callers = Array.from({ length: callersAtOnce }, () => read([filter("1991")]))
    return {
      "one caller, ms": quantile(alone, 1),
      "last of a hundred, ms": quantile((await Promise.all(callers)).flat(), 1),
    }
  },
)

const analyst = waitRow(
  "analyst",
  "what an analyst asks first: tenements of a company, those that expire, types of reports",
  async ({ sql }, read) => {
    const [of] = await sql<{ code: string }[]>`
      select asx_codes[1] as code from tenements where asx_codes <> '{}' limit 1`
    const expiring = "expires_from=2026-01-01&expires_to=2026-03-31&sort=expiry_date"
    const tenements = [`company=${of?.code}`, expiring, `company=${of?.code}&${expiring}`]
    const types = ["/api/v1/facets/reports/type"]
    return {
      "tenements: slowest, ms": quantile(
        await read(tenements.map((query) => `/api/v1/tenements?${query}`)),
        1,
      ),
      "counts of types: first, ms": median(await read(types)),
      "counts of types: again, ms": median(await read(types)),
    }
  },
)

export const waitRows: readonly Row[] = [crawl, search, firstCallers, analyst]
