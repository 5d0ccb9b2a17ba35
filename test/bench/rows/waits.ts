/** How long single requests take: crawls, jumps and searches. */
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
  `A crawl of every tenement, ${perPage} a page`,
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

/** What people look for. */
async function storedTexts({ sql }: Environment): Promise<string[]> {
  const texts = await sql<{ text: string }[]>`
    (select asx_code as text from companies order by md5(asx_code) limit 8)
    union all (select company_name from companies order by md5(company_name) limit 8)
    union all (select tenement_id from tenements order by md5(id) limit 8)
    union all (select holder_name from tenements where holder_name > '' order by md5(id) limit 16)
    union all (select title from reports order by md5(hash) limit 16)`
  return texts.map(({ text }) => text)
}

/** A part of three to eight characters. */
const partOf = (text: string, index: number): string =>
  text.slice(2, 5 + (index % 6)).padEnd(3, "a")

const search = waitRow("search", "Searches, with their totals", async (environment, read) => {
  const short = shortTerms.flatMap(searchesOf)
  const long = (await storedTexts(environment)).map(partOf).flatMap(searchesOf)
  return {
    "one or two letters: slowest, ms": quantile(await read(short), 1),
    "three letters or more: p95, ms": quantile(await read(long), 0.95),
    "again: p95, ms": quantile(await read([...short, ...long]), 0.95),
  }
})

const analyst = waitRow(
  "analyst",
  "A company's tenements, those that expire, types of announcements",
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

const sizesKm = [2, 100, 1_000]
const kmPerDegree = 111.2

/** Boxes and circles around points of random tenements. */
const places = waitRow("places", "Tenements in boxes and around points", async ({ sql }, read) => {
  const centres = await sql<{ latitude: number; longitude: number }[]>`
    select latitude, longitude from tenements where latitude is not null order by md5(id) limit 40`
  const figures: Record<string, number> = {}
  for (const km of sizesKm) {
    const half = km / 2 / kmPerDegree
    const boxes = centres.map(({ latitude, longitude }) =>
      [longitude - half, latitude - half, longitude + half, latitude + half]
        .map((degrees) => degrees.toFixed(6))
        .join(),
    )
    const ms = await read(boxes.map((box) => `/api/v1/tenements?bbox=${box}`))
    figures[`box of ${km} km: p95, ms`] = quantile(ms, 0.95)
  }
  for (const km of [10, 100]) {
    const circles = centres.map(({ latitude, longitude }) => `${latitude},${longitude},${km}`)
    const ms = await read(circles.map((circle) => `/api/v1/tenements?near=${circle}`))
    figures[`${km} km around: p95, ms`] = quantile(ms, 0.95)
  }
  return figures
})

const mostTyped = 18

const searchBox: Row = {
  name: "search-box",
  work: "The explorer's search box, typed letter by letter",
  run: async (environment) => {
    const beginnings = (await storedTexts(environment)).flatMap((text) =>
      Array.from({ length: mostTyped }, (_, index) => text.slice(0, index + 1).trim()),
    )
    const terms = new Set(beginnings)
    return measureCheckouts(environment, async (checkout) => async () => {
      const { url, stop } = await checkout.start()
      const headers = { Cookie: await checkout.signIn(url), "X-Type-Ahead": "true" }
      const ms: number[] = []
      for (const term of terms) {
        const startedMs = performance.now()
        const target = `${url}/explore/search?${new URLSearchParams({ q: term })}`
        const response = await fetch(target, { headers, redirect: "error" })
        await response.arrayBuffer()
        if (!response.ok) throw new Error(`${target} got ${response.status}`)
        ms.push(performance.now() - startedMs)
      }
      await stop()
      return { "p95, ms": quantile(ms, 0.95), "slowest, ms": quantile(ms, 1) }
    })
  },
}

export const waitRows: readonly Row[] = [crawl, search, searchBox, analyst, places]
