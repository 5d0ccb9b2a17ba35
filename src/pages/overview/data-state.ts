/** What the data is at the newest release, read once for each release. */
import { listEndpoint } from "../../answers/list-endpoint.ts"
import { planList } from "../../answers/list-plan.ts"
import type { Reader } from "../../db/reader/reader.ts"
import { type Release, type Releases, releaseKey } from "../../db/reader/releases.ts"
import type { ReadSourceLoads, SourceLoad } from "../../db/reader/source-loads.ts"
import type { ReadSources } from "../../db/reader/sources.ts"
import type { List } from "../../db/reader/statements.ts"
import { companies } from "../../resources/companies.ts"
import { reports } from "../../resources/reports.ts"
import type { Readable, ResourceRecord } from "../../resources/resource.ts"
import { subsidiaries } from "../../resources/subsidiaries.ts"
import { tenements } from "../../resources/tenements.ts"

export interface DataState {
  release: Release
  /** How many records there are of each kind, in the order in which they are shown. */
  counts: readonly { label: string; count: number }[]
  loads: readonly SourceLoad[]
  /** What is known of each source, as the API has it, by name. */
  sources: readonly ResourceRecord[]
}

export interface DataStateOptions {
  reader: Pick<Reader, "total">
  releases: Pick<Releases, "current">
  sourceLoads: ReadSourceLoads
  readSources: ReadSources
  now: () => Date
}

/** Sources change with loads that publish nothing: they are read anew while people come, but not for each. */
const sourcesEveryMs = 1_000

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
  readSources,
  now,
}: DataStateOptions): () => Promise<DataState> {
  const ofRelease = keepLast(async (release: Release) => {
    const [loads, ...counts] = await Promise.all([
      sourceLoads(release),
      ...lists.map(async ({ label, list }) => ({
        label,
        count: (await reader.total(list, { release, account: null })) ?? 0,
      })),
    ])
    return { release, counts, loads }
  })
  const ofSources = keepLast(async () => (await readSources(null)).records.toSorted(byName))

  return async () => {
    const release = await releases.current()
    const key = releaseKey(release)
    const period = Math.floor(now().getTime() / sourcesEveryMs)
    const [state, sources] = await Promise.all([
      ofRelease(key, release),
      ofSources(`${key} ${period}`, undefined),
    ])
    return { ...state, sources }
  }
}

const byName = (one: ResourceRecord, other: ResourceRecord): number =>
  String(one.source) < String(other.source) ? -1 : 1

/** The result of the last key, for as long as that is asked for. A failure is tried again. */
function keepLast<Of, Result>(read: (of: Of) => Promise<Result>) {
  let last: { key: string; result: Promise<Result> } | undefined
  return (key: string, of: Of): Promise<Result> => {
    if (last?.key !== key) {
      const reading = { key, result: read(of) }
      last = reading
      reading.result.catch(() => {
        if (last === reading) last = undefined
      })
    }
    return last.result
  }
}
