/**
 * Events: what is new since the cursor of a watch, as one event however many releases that are. Each count is that
 * of the list at its address in the event, so both are always equal.
 */
import { ApiError } from "../../api/http/api-error.ts"
import type { Pair } from "../../api/http/query-string.ts"
import { endpoints } from "../../api/routes/endpoints.ts"
import type { AccountId } from "../../data/db/pool/turns.ts"
import type { Reader } from "../../data/reader/reader.ts"
import type { Release, Releases } from "../../data/reader/releases.ts"
import { kindsOfChange } from "../../data/resources/explained.ts"
import { namesInSet, type ResourceRecord } from "../../data/resources/resource.ts"
import { daysAfter } from "../../system/text/calendar-date.ts"
import { dayMs, secondOf } from "../../system/text/time.ts"
import { sydneyDay } from "./schedule.ts"
import type { Watch } from "./store.ts"
import { askWatched, askWatchedRecord, pathWithout, pathWithQuery, type Subject } from "./watch.ts"

/** What an event covers: from the cursor of a watch to a release. */
export interface EventPeriod {
  /** The release of the cursor, and whether it can be read. */
  covered: Release
  isReadable: boolean
  to: Release
  /** The days in Sydney of both. The first event of expiry dates covers those that are inside already. */
  coveredDay: string | null
  day: string
}

export interface EventOptions {
  reader: Pick<Reader, "total" | "find" | "page">
  /** The address that the addresses in events begin with. */
  baseUrl: string
  /** The path of the explorer's page of a subject. */
  pageOf: (subject: Subject, period: EventPeriod) => string
  /** Whose turns the statements take; by default the service's own. */
  account?: AccountId
}

export interface Event {
  type: "list.changed" | "list.expiring" | "record.changed" | "release.published" | "test"
  /** `2026-01-02T03:04:05Z` */
  timestamp: string
  data: EventData
}

interface EventData extends Readonly<Record<string, unknown>> {
  watch: Pick<Watch, "id" | "name">
  release: number
}

/** The paths of lists in the API, by the names of their counts. */
type Lists = Readonly<Record<string, string>>

export type Events = ReturnType<typeof createEvents>

export function createEvents({ reader, baseUrl, pageOf, account = null }: EventOptions) {
  const address = (path: string): string => `${baseUrl}/api/v1${path}`

  const addressesOf = (lists: Lists) =>
    Object.fromEntries(Object.entries(lists).map(([name, path]) => [`${name}_url`, address(path)]))

  /** Counts lists, which name the releases of the period. */
  async function countsOf(lists: Lists, { covered, to: release }: EventPeriod) {
    const counted = Object.entries(lists).map(async ([name, path]) => {
      const total = await reader.total(askWatched(path).list, {
        release,
        since: covered.id,
        account,
      })
      return [name, total ?? 0] as const
    })
    return Object.fromEntries(await Promise.all(counted))
  }

  async function recordChanged(path: string, { covered, to }: EventPeriod): Promise<object | null> {
    const { resource, key } = askWatchedRecord(path)
    const at = (release: Release) => reader.find(resource, "all", key, { release, account })
    const [was, is] = await Promise.all([at(covered), at(to)])
    if (!was && !is) return null
    const names = kindsOfChange(resource).filter((name) => is && was && !isEqual(is, was, name))
    const changed = was ? names : ["added"]
    return is && changed.length === 0 ? null : { changed, removed: is === null }
  }

  async function compared(subject: Subject, period: EventPeriod): Promise<object | null> {
    if (subject.kind === "record") return recordChanged(subject.path, period)
    if (subject.kind === "releases") {
      const all = (kind: Comparison) =>
        wholeLists.map((path) => [path.slice(1), changesOf(path, kind, period)] as const)
      return {
        changed: await countsOf(Object.fromEntries(all("updated_since")), period),
        removed: await countsOf(Object.fromEntries(all("removed_since")), period),
      }
    }
    const lists =
      subject.kind === "list" ? changedLists(subject, period) : expiring(subject, period)
    const counts = await countsOf(lists, period)
    const sum = Object.values(counts).reduce((all, count) => all + count, 0)
    if (sum === 0) return null
    return { ...(subject.kind === "list" ? counts : { expiring: sum }), ...addressesOf(lists) }
  }

  function addressOfSubject(subject: Subject): object {
    if (subject.kind === "releases") return {}
    if (subject.kind === "record") return { record: address(subject.path) }
    return { list: address(pathWithout(subject.path, "changed")) }
  }

  return {
    /** What is new; null for nothing. @throws Unavailable, ReleaseUnavailable */
    since: async (
      { id, name, subject }: Pick<Watch, "id" | "name" | "subject">,
      period: EventPeriod,
      now: Date,
    ): Promise<Event | null> => {
      const { covered, isReadable, to, coveredDay, day } = period
      const isNextDay = subject.kind === "expiry" && coveredDay !== day
      if (covered.identity === to.identity && !isNextDay) return null
      const found = isReadable ? await compared(subject, period).catch(ifIncomparable) : resync
      if (found === null) return null
      return {
        type: types[subject.kind],
        timestamp: secondOf(now),
        data: {
          watch: { id, name },
          release: to.id,
          since_release: covered.id,
          ...addressOfSubject(subject),
          ...found,
          page_url: baseUrl + pageOf(subject, period),
        },
      }
    },

    /**
     * The first twenty records of an event, by the name of their address without `_url`.
     * @param covered the release of the event
     */
    records: async ({ data }: Event, covered: Release, since: number) => {
      const found = ["changed", "removed", "expiring", "entered"].map(async (name) => {
        const { [`${name}_url`]: url } = data
        if (typeof url !== "string") return [name, []] as const
        const { list } = askWatched(withWhatChanged(pathIn(url)))
        const read = { release: covered, since, account }
        const page = await reader.page(list, { offset: 0, limit: 20 }, read)
        return [name, page?.records ?? []] as const
      })
      return Object.fromEntries(await Promise.all(found))
    },
  }
}

export type Preview = ReturnType<typeof createPreview>

const previewMs = 30 * dayMs

/**
 * Shows what a watch would have sent in the last 30 days, as one event, and how many releases that were; of expiry
 * dates what it would send now. @throws Unavailable, ReleaseUnavailable
 */
export const createPreview =
  ({ releases, now, ...options }: EventOptions & { releases: Releases; now: () => Date }) =>
  async (subject: Subject, account: AccountId) => {
    const at = now()
    const untilSeconds = Math.floor((at.getTime() - previewMs) / 1000)
    const to = await releases.current(account)
    const then = await releases.at({ kind: "moment", untilSeconds }, account)
    const oldest = { kind: "release", id: await releases.oldest(account) } as const
    // The first release adds every record.
    const readable = [then, await releases.at(oldest, account)]
    const [covered = to] = readable.flatMap((each) =>
      "identity" in each && each.id > 0 ? [each] : [],
    )
    const period = { covered, isReadable: true, to, coveredDay: null, day: sydneyDay(at) }
    const events = createEvents({ ...options, account })
    const event = await events.since({ id: 0, name: "", subject }, period, at)
    return { event, releases: to.id - covered.id }
  }

/** So that a receiver reads the whole list again. */
const resync = { resync: true }

/** The comparison that the API rejects cannot be made. */
function ifIncomparable(error: unknown): typeof resync {
  if (error instanceof ApiError && error.code === "INVALID_PARAMETER") return resync
  throw error
}

const types = {
  list: "list.changed",
  expiry: "list.expiring",
  record: "record.changed",
  releases: "release.published",
} as const

type Comparison = "updated_since" | "removed_since"

const changesOf = (path: string, kind: Comparison, { covered, to }: EventPeriod): string =>
  pathWithQuery(path, [kind, String(covered.id)], ["as_of", String(to.id)])

const changedLists = (
  { path, reports }: Subject & { kind: "list" },
  period: EventPeriod,
): Lists => ({
  ...(reports !== "removals" && { changed: changesOf(path, "updated_since", period) }),
  ...(reports !== "changes" && {
    removed: changesOf(pathWithout(path, "changed"), "removed_since", period),
  }),
})

/** The list whose dates have come within the days, and that of tenements with dates that were within them already. */
function expiring({ path, days }: Subject & { kind: "expiry" }, period: EventPeriod): Lists {
  const { covered, to, coveredDay, day } = period
  const last = daysAfter(day, days)
  const dated = (from: string, until: string): string =>
    pathWithQuery(path, ["expires_from", from], ["expires_to", until])
  const asOf: Pair = ["as_of", String(to.id)]
  if (coveredDay === null) return { expiring: pathWithQuery(dated(day, last), asOf) }
  const lastBefore = daysAfter(coveredDay, days)
  // A renewal may set another date that is within the days already.
  const entered = pathWithQuery(dated(coveredDay, lastBefore), ["changed", "added,expiry_date"])
  return {
    ...(lastBefore < last && {
      expiring: pathWithQuery(dated(daysAfter(lastBefore, 1), last), asOf),
    }),
    ...(covered.id < to.id && { entered: changesOf(entered, "updated_since", period) }),
  }
}

const isEqual = (one: ResourceRecord, other: ResourceRecord, name: string): boolean =>
  JSON.stringify(one[name]) === JSON.stringify(other[name])

/** `/companies`, `/tenements`, `/reports` */
const wholeLists = endpoints.flatMap((endpoint) =>
  endpoint.kind === "list" && endpoint.resource.history && !endpoint.path.includes(":")
    ? [endpoint.path]
    : [],
)

/** The path in an address of an event. BASE_URL may have changed since the event was made. */
const pathIn = (address: string): string => address.slice(address.indexOf("/api/v1/"))

/** With what changed in each record, where the list says so. */
function withWhatChanged(path: string): string {
  const { endpoint, list } = askWatched(path)
  const names = namesInSet(endpoint.resource, "all").filter((name) => name !== "geometry")
  const fields = list.since && list.since !== "removed" ? [...names, "changed"] : names
  return pathWithQuery(path, ["fields", fields.join()])
}
