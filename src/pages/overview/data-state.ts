/** What the data is at the newest release, read once for each release. */
import { listEndpoint } from "../../answers/list-endpoint.ts"
import { planList } from "../../answers/list-plan.ts"
import { isRecent } from "../../db/is-recent.ts"
import type { List } from "../../db/reader/list.ts"
import type { Reader } from "../../db/reader/reader.ts"
import { type Release, type Releases, releaseKey } from "../../db/reader/releases.ts"
import type { ReadSourceLoads, SourceLoad } from "../../db/reader/source-loads.ts"
import type { ReadSources, SourceStates } from "../../db/reader/sources.ts"
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

const byName = (one: ResourceRecord, other: ResourceRecord): number =>
  String(one.source) < String(other.source) ? -1 : 1

/** May throw Unavailable or ReleaseUnavailable. */
export function createDataState({
  reader,
  releases,
  sourceLoads,
  readSources,
  now,
}: DataStateOptions): () => Promise<DataState> {
  type OfRelease = Omit<DataState, "sources">
  let last: { key: string; state: Promise<OfRelease> } | undefined
  let lastSources: { key: string; atMs: number; states: Promise<SourceStates> } | undefined

  async function read(release: Release): Promise<OfRelease> {
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

  async function sourcesAt(key: string): Promise<readonly ResourceRecord[]> {
    const atMs = now().getTime()
    if (lastSources?.key !== key || !isRecent(lastSources.atMs, atMs, sourcesEveryMs)) {
      const reading = {
        key,
        atMs,
        states: readSources(null).catch((error: unknown) => {
          if (lastSources === reading) lastSources = undefined
          throw error
        }),
      }
      lastSources = reading
    }
    return (await lastSources.states).records.toSorted(byName)
  }

  async function stateAt(release: Release, key: string): Promise<OfRelease> {
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

  return async () => {
    const release = await releases.current()
    const key = releaseKey(release)
    const [state, sources] = await Promise.all([stateAt(release, key), sourcesAt(key)])
    return { ...state, sources }
  }
}
