/**
 * Events: what is new since the cursor of a watch, as one event however many releases that are. Each count is that
 * of the list at its address in the event, so both are always equal.
 */
import { ApiError } from "../../api/http/api-error.ts"
import type { Pair } from "../../api/http/query-string.ts"
import { endpoints } from "../../api/routes/endpoints.ts"
import type { AccountId } from "../../data/db/pool/turns.ts"
import type { Reader } from "../../data/reader/reader.ts"
import type { ReadOptions } from "../../data/reader/reads.ts"
import type { Release, Releases } from "../../data/reader/releases.ts"
import { kindsOfChange } from "../../data/resources/explained.ts"
import { namesInSet, type ResourceRecord } from "../../data/resources/resource.ts"
import { daysAfter } from "../../system/text/calendar-date.ts"
import { dayMs, secondOf } from "../../system/text/time.ts"
import { sydneyDay } from "./schedule.ts"
import {
  askWatched,
  askWatchedRecord,
  pathWithout,
  pathWithQuery,
  type Subject,
  type Watch,
} from "./watch.ts"

/** The releases that an event compares, and the expiry dates that it reports. */
export interface ComparedReleases {
  since: number
  release: number
  expires?: { from: string; to: string } | undefined
}

export interface EventOptions {
  reader: Pick<Reader, "total" | "find" | "page">
  /** The address that the addresses in events begin with. */
  baseUrl: string
  /** The path of the explorer's page of a subject. */
  pageOf: (subject: Subject, compared: ComparedReleases) => string
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

/** The period that an event covers. */
export interface EventPeriod {
  /** The release that its last event covered; null if it cannot be read any more. */
  from: Release | null
  /** Its number. */
  since: number
  to: Release
  /** The days in Sydney of both. The first event of expiry dates covers those that are inside already. */
  sinceDay: string | null
  day: string
}

type Watched = Pick<Watch, "id" | "name" | "subject">

export type Events = ReturnType<typeof createEvents>

export function createEvents({ reader, baseUrl, pageOf, account = null }: EventOptions) {
  const address = (path: string): string => `${baseUrl}/api/v1${path}`

  /** Counts the list at a path, which names the same releases. Without a path it counts 0. */
  async function count(path: string | null, { from, to: release }: EventPeriod): Promise<number> {
    if (path === null) return 0
    return (await reader.total(askWatched(path).list, { release, since: from?.id, account })) ?? 0
  }

  async function listChanged(
    { path, reports }: Subject & { kind: "list" },
    period: EventPeriod,
  ): Promise<object | null> {
    const list = pathWithout(path, "changed")
    const changedPath = reports === "removals" ? null : changesOf(path, "updated_since", period)
    const removedPath = reports === "changes" ? null : changesOf(list, "removed_since", period)
    const changed = await count(changedPath, period)
    const removed = await count(removedPath, period)
    if (changed + removed === 0) return null
    return {
      ...(changedPath !== null && { changed, changed_url: address(changedPath) }),
      ...(removedPath !== null && { removed, removed_url: address(removedPath) }),
    }
  }

  async function listExpiring(
    subject: Subject & { kind: "expiry" },
    period: EventPeriod,
  ): Promise<object | null> {
    const { path } = subject
    const { expiring, entered } = expiryDates(subject, period)
    const asOf: Pair = ["as_of", String(period.to.id)]
    const expiringPath = expiring && pathWithQuery(path, ...datesIn(expiring), asOf)
    const enteredPath =
      entered &&
      changesOf(
        pathWithQuery(path, ...datesIn(entered), ["changed", enteredKinds]),
        "updated_since",
        period,
      )
    const sum = (await count(expiringPath, period)) + (await count(enteredPath, period))
    if (sum === 0) return null
    return {
      expiring: sum,
      ...(expiringPath !== null && { expiring_url: address(expiringPath) }),
      ...(enteredPath !== null && { entered_url: address(enteredPath) }),
    }
  }

  async function recordChanged(
    { path }: { path: string },
    period: EventPeriod,
  ): Promise<object | null> {
    const { resource, key } = askWatchedRecord(path)
    const at = (release: Release) => reader.find(resource, "all", key, { release, account })
    const [was, is] = await Promise.all([period.from && at(period.from), at(period.to)])
    if (!was && !is) return null
    const names = kindsOfChange(resource).filter((name) => is && was && !isEqual(is, was, name))
    const changed = was ? names : ["added"]
    return is && changed.length === 0 ? null : { changed, removed: is === null }
  }

  /** By the lists of the API that belong to no record. */
  async function releasePublished(period: EventPeriod): Promise<object> {
    const counts = async (kind: Comparison) =>
      Object.fromEntries(
        await Promise.all(
          wholeLists.map(async (path) => {
            const total = await count(changesOf(path, kind, period), period)
            return [path.slice(1), total] as const
          }),
        ),
      )
    return { changed: await counts("updated_since"), removed: await counts("removed_since") }
  }

  function compared(subject: Subject, period: EventPeriod): Promise<object | null> {
    switch (subject.kind) {
      case "list":
        return listChanged(subject, period)
      case "expiry":
        return listExpiring(subject, period)
      case "record":
        return recordChanged(subject, period)
      case "releases":
        return releasePublished(period)
    }
  }

  return {
    /** What is new; null for nothing. @throws Unavailable, ReleaseUnavailable */
    since: async (
      { id, name, subject }: Watched,
      period: EventPeriod,
      now: Date,
    ): Promise<Event | null> => {
      const found = period.from ? await compared(subject, period).catch(ifIncomparable) : resync
      if (found === null) return null
      const { since, to } = period
      const expires = subject.kind === "expiry" ? datesOfPage(subject, period) : undefined
      const page = pageOf(subject, { since, release: to.id, expires })
      return {
        type: types[subject.kind],
        timestamp: secondOf(now),
        data: {
          watch: { id, name },
          release: to.id,
          since_release: since,
          ...addressOfSubject(subject, address),
          ...found,
          page_url: `${baseUrl}${page}`,
        },
      }
    },

    /** What the first records of an event are, by the name of their address without `_url`. */
    records: async ({ data }: Pick<Event, "data">, read: ReadOptions, limit = 20) => {
      const parts = ["changed", "removed", "expiring", "entered"].flatMap((name) => {
        const { [`${name}_url`]: url } = data
        return typeof url === "string" ? [[name, url] as const] : []
      })
      const found = parts.map(async ([name, url]) => {
        const path = url.slice(address("").length)
        const { list } = askWatched(withWhatChanged(path))
        const page = await reader.page(list, { offset: 0, limit }, read)
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
    const [from = to] = readable.flatMap((each) =>
      "identity" in each && each.id > 0 ? [each] : [],
    )
    const period = { from, since: from.id, to, sinceDay: null, day: sydneyDay(at) }
    const events = createEvents({ ...options, account })
    const event = await events.since({ id: 0, name: "", subject }, period, at)
    return { event, releases: to.id - from.id }
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

/** A renewal may set another date that is within the days already. */
const enteredKinds = "added,expiry_date"

type Comparison = "updated_since" | "removed_since"

const changesOf = (path: string, kind: Comparison, { since, to }: EventPeriod): string =>
  pathWithQuery(path, [kind, String(since)], ["as_of", String(to.id)])

interface Dates {
  from: string
  to: string
}

const datesIn = ({ from, to }: Dates): Pair[] => [
  ["expires_from", from],
  ["expires_to", to],
]

/** The dates that have come within the days, and those that were within them already. Null without any. */
function expiryDates({ days }: { days: number }, { sinceDay, day, since, to }: EventPeriod) {
  const last = daysAfter(day, days)
  if (sinceDay === null) return { expiring: { from: day, to: last }, entered: null }
  const lastBefore = daysAfter(sinceDay, days)
  return {
    expiring: lastBefore < last ? { from: daysAfter(lastBefore, 1), to: last } : null,
    entered: since < to.id ? { from: sinceDay, to: lastBefore } : null,
  }
}

const datesOfPage = ({ days }: { days: number }, { sinceDay, day }: EventPeriod): Dates => ({
  from: sinceDay ?? day,
  to: daysAfter(day, days),
})

const isEqual = (one: ResourceRecord, other: ResourceRecord, name: string): boolean =>
  JSON.stringify(one[name]) === JSON.stringify(other[name])

/** `/companies`, `/tenements`, `/reports` */
const wholeLists = endpoints.flatMap((endpoint) =>
  endpoint.kind === "list" && endpoint.resource.history && !endpoint.path.includes(":")
    ? [endpoint.path]
    : [],
)

function addressOfSubject(subject: Subject, address: (path: string) => string): object {
  if (subject.kind === "releases") return {}
  if (subject.kind === "record") return { record: address(subject.path) }
  return { list: address(pathWithout(subject.path, "changed")) }
}

/** With what changed in each record, where the list says so. */
function withWhatChanged(path: string): string {
  const { endpoint, list } = askWatched(path)
  const names = namesInSet(endpoint.resource, "all").filter((name) => name !== "geometry")
  const fields =
    list.since === "changed" || list.since === "explained" ? [...names, "changed"] : names
  return pathWithQuery(path, ["fields", fields.join()])
}
