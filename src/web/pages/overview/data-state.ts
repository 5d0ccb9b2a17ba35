/** The state of the data at the newest release. */

import type { Answers } from "../../../api/responses/answers.ts"
import { askList } from "../../../api/responses/question.ts"
import { type Release, type Releases, releaseKey } from "../../../data/reader/releases.ts"
import type { ReadSourceLoads, SourceLoad } from "../../../data/reader/source-loads.ts"
import type { ReadSources } from "../../../data/reader/sources.ts"
import type { ResourceRecord } from "../../../data/resources/resource.ts"
import { tenementsView } from "../explore/lists/tenement-views.ts"
import { companiesView, reportsView, subsidiariesView } from "../explore/lists/views.ts"

export interface DataState {
  release: Release
  /** The number of records of each kind, in the order of the page. */
  counts: readonly { label: string; path: string; count: number }[]
  loads: readonly SourceLoad[]
  /** The records of `/api/v1/sources`, by name. */
  sources: readonly ResourceRecord[]
  refusals: ReadonlyMap<string, string>
}

export interface DataStateOptions {
  answers: Pick<Answers, "totalAt">
  releases: Pick<Releases, "current">
  sourceLoads: ReadSourceLoads
  readSources: ReadSources
  now: () => Date
}

/** The page is public, so it reads the database, also in vain, once in each period and for each release. */
const periodMs = 1_000

/** The questions are those of the API's lists without filters, so that both share their counts. */
const lists = [
  { label: "Active companies", view: companiesView },
  { label: "Tenements", view: tenementsView },
  { label: "Subsidiaries", view: subsidiariesView },
  { label: "Announcements", view: reportsView },
].map(({ label, view: { path, endpoint } }) => ({
  label,
  path: `/explore${path}`,
  question: askList(endpoint, {}),
}))

/** May throw Unavailable or ReleaseUnavailable. */
export function createDataState(options: DataStateOptions): () => Promise<DataState> {
  const { answers, releases, sourceLoads, readSources, now } = options

  async function read(release: Release): Promise<DataState> {
    const [loads, { records, refusals }, ...counts] = await Promise.all([
      sourceLoads(release),
      readSources(null),
      ...lists.map(async ({ question, ...shown }) => ({
        ...shown,
        count: await answers.totalAt(question, { release, account: null }),
      })),
    ])
    return { release, counts, loads, sources: records.toSorted(byName), refusals }
  }

  let last: { key: string; state: Promise<DataState> } | undefined
  return async () => {
    const release = await releases.current()
    const key = `${releaseKey(release)} ${Math.floor(now().getTime() / periodMs)}`
    if (last?.key !== key) last = { key, state: read(release) }
    return last.state
  }
}

const byName = (one: ResourceRecord, other: ResourceRecord): number =>
  String(one.source) < String(other.source) ? -1 : 1
