/** Reads the data for one call of a tool, as the endpoints of the API do. */
import type { Asker } from "../answers/asked.ts"
import type { ListPage } from "../answers/list-answer.ts"
import type { ListEndpoint } from "../answers/list-endpoint.ts"
import type { ListPlan } from "../answers/list-plan.ts"
import type { Release, Releases } from "../db/reader/releases.ts"
import { canonicalQuery, encodeQuery, type Pair, queryText } from "../http/query-string.ts"
import type { AnswersOptions } from "../plugins/answers.ts"
import { companies } from "../resources/companies.ts"
import type { DataOptions } from "../routes/data.ts"

export interface ReadingOptions
  extends Pick<AnswersOptions, "lists" | "records" | "planOf" | "now">,
    Pick<DataOptions, "readSources"> {
  releases: Pick<Releases, "current">
}

/** The parameters of a request by name. */
type Values = Readonly<Record<string, unknown>>

export type Reading = ReturnType<typeof createReading>

/** @param publicUrl the address of the service as the client reaches it */
export function createReading(options: ReadingOptions, asker: Asker, publicUrl: string) {
  const { lists, records, planOf, releases, readSources, now } = options
  const { account } = asker

  const planFor = (endpoint: ListEndpoint, path: string, values: Values, key: string): ListPlan => {
    const query = queryText(canonicalQuery(values, {}))
    return planOf(endpoint, { path: `/api/v1${path}`, query, accept: null }, key)
  }

  /** The address of the request that returns the same, whatever is published later. */
  const addressOf = (path: string, query: readonly Pair[], { id }: Release): string => {
    const others = query.filter(([name]) => name !== "as_of")
    return `${publicUrl}${path}?${encodeQuery([...others, ["as_of", String(id)]])}`
  }

  const part = ({ path, canonical }: ListPlan, { records, meta, release }: ListPage) => ({
    request: addressOf(path, canonical, release),
    total: meta.total,
    page: meta.page,
    total_pages: meta.total_pages,
    records,
  })

  return {
    /** Today, in UTC. */
    today: now().toISOString().slice(0, 10),

    /** A page of a list at the release of `as_of`, of its page sequence, or the newest. */
    list: async (endpoint: ListEndpoint, path: string, values: Values) => {
      const plan = planFor(endpoint, path, values, "")
      const page = await lists.read(asker, plan)
      return { release: page.release, part: part(plan, page) }
    },

    /** A page of a list at a release. @param key in the path */
    listAt: async (
      release: Release,
      endpoint: ListEndpoint,
      path: string,
      values: Values,
      key = "",
    ) => {
      const plan = planFor(endpoint, path, values, key)
      return part(plan, await lists.readAt(release, plan, account))
    },

    company: async (code: string, values: Values) => {
      const query = queryText(canonicalQuery(values, {}))
      const { record, release } = await records.read(account, companies, code, query)
      const path = `/api/v1/companies/${encodeURIComponent(String(record.asx_code))}`
      return { record, release, request: addressOf(path, [], release) }
    },

    /** All sources, and the newest release. */
    sources: async () => {
      const [{ records }, release] = await Promise.all([
        readSources(account),
        releases.current(account),
      ])
      return { records, release, request: `${publicUrl}/api/v1/sources` }
    },
  }
}
