/** What the data is at the newest release, read once for each release. */
import { listEndpoint } from "../../answers/list-endpoint.ts"
import { planList } from "../../answers/list-plan.ts"
import type { List } from "../../db/reader/list.ts"
import type { Reader } from "../../db/reader/reader.ts"
import { type Release, type Releases, releaseKey } from "../../db/reader/releases.ts"
import type { ReadSourceLoads, SourceLoad } from "../../db/reader/source-loads.ts"
import { companies } from "../../resources/companies.ts"
import { reports } from "../../resources/reports.ts"
import type { Readable } from "../../resources/resource.ts"
import { subsidiaries } from "../../resources/subsidiaries.ts"
import { tenements } from "../../resources/tenements.ts"

export interface DataState {
  release: Release
  /** How many records there are of each kind, in the order in which they are shown. */
  counts: readonly { label: string; count: number }[]
  loads: readonly SourceLoad[]
}

export interface DataStateOptions {
  reader: Pick<Reader, "total">
  releases: Pick<Releases, "current">
  sourceLoads: ReadSourceLoads
}

/** As the API lists it without parameters, so that both share the count. */
const listOf = (resource: Readable, filters: readonly string[] = []): List =>
  planList(
    listEndpoint({ resource, filters }),
    { path: `/api/v1/${resource.name}`, query: "", format: "json" },
    "",
  ).list

const lists: readonly { label: string; list: List }[] = [
  { label: "Active companies", list: listOf(companies, ["active"]) },
  { label: "Tenements", list: listOf(tenements) },
  { label: "Subsidiaries", list: listOf(subsidiaries) },
  { label: "Reports", list: listOf(reports) },
]

/** May throw Unavailable or ReleaseUnavailable. */
export function createDataState({
  reader,
  releases,
  sourceLoads,
}: DataStateOptions): () => Promise<DataState> {
  let last: { key: string; state: Promise<DataState> } | undefined

  async function read(release: Release): Promise<DataState> {
    const options = { release, account: null }
    const [loads, ...counts] = await Promise.all([
      sourceLoads(release),
      ...lists.map(async ({ label, list }) => ({
        label,
        count: (await reader.total(list, options)) ?? 0,
      })),
    ])
    return { release, counts, loads }
  }

  return async () => {
    const release = await releases.current()
    const key = releaseKey(release)
    if (last?.key === key) return last.state
    const reading = {
      key,
      state: read(release).catch((error: unknown) => {
        if (last === reading) last = undefined
        throw error
      }),
    }
    last = reading
    return reading.state
  }
}
