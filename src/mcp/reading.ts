/** Reads the data for one call of a tool, as the endpoints of the API do. */
import type { Asker } from "../answers/asked.ts"
import { dayOfData } from "../answers/at-release.ts"
import type { ListEndpoint } from "../answers/list-endpoint.ts"
import type { Release, Releases } from "../db/reader/releases.ts"
import type { ReadSources } from "../db/reader/sources.ts"
import { canonicalQuery, encodeQuery, type Pair, queryText } from "../http/query-string.ts"
import type { AnswersOptions } from "../plugins/answers.ts"
import { companies } from "../resources/companies.ts"

export interface ReadingOptions
  extends Pick<AnswersOptions, "lists" | "records" | "planOf" | "now"> {
  releases: Pick<Releases, "current">
  readSources: ReadSources
}

/** The parameters of a request by name. */
type Values = Readonly<Record<string, unknown>>

/** The release of a list, and the key in its path. */
interface Place {
  release?: Release
  key?: string
}

export type Reading = ReturnType<typeof createReading>

/** @param publicUrl the address of the service as the client reaches it */
export function createReading(options: ReadingOptions, asker: Asker, publicUrl: string) {
  const { lists, records, planOf, releases, readSources, now } = options
  const { account } = asker

  /** The address of the request that returns the same, whatever is published later. */
  const addressOf = (path: string, query: readonly Pair[], { id }: Release): string => {
    const others = query.filter(([name]) => name !== "as_of")
    return `${publicUrl}${path}?${encodeQuery([...others, ["as_of", String(id)]])}`
  }

  return {
    dayOf: ({ as_of }: Values, release: Release) => dayOfData(as_of, release, now()),

    /** A page of a list at the given release or, without one, that of `as_of`, of its page sequence, or the newest. */
    list: async (endpoint: ListEndpoint, path: string, values: Values, at: Place = {}) => {
      const query = queryText(canonicalQuery(values, {}))
      const target = { path: `/api/v1${path}`, query, accept: null }
      const plan = planOf(endpoint, target, at.key ?? "")
      const { records, meta, release } = at.release
        ? await lists.readAt(plan, { release: at.release, account })
        : await lists.read(asker, plan)
      const { total, page, total_pages } = meta
      const request = addressOf(plan.path, plan.canonical, release)
      return { release, part: { request, total, page, total_pages, records } }
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
