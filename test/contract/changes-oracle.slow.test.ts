/**
 * The changes of a list between any two releases are exactly those that were loaded, as computed without
 * the service's code.
 */

import { expect, test } from "bun:test"
import { prune } from "../../src/ingest/loading/prune.ts"
import { seeded } from "../../src/sample/random.ts"
import { fileLoader } from "../ingest/loading/file-loader.ts"
import { none } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { readList } from "./bodies.ts"

interface Version {
  state: string
  status: string
  /** The release that made it what it is. */
  since: number
}

const random = seeded(16)
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
const states = ["WA", "SA", "NT"]
const statuses = ["granted", "pending"]
/** More than the 5,000 that are looked at one by one. */
const manyRecords = 5_100
/** Each release's records; release 1 is empty. */
const releases: Map<string, Version>[] = [new Map(), new Map()]
let newest = 1

const service = await serviceOfFile({ records: none })
const load = fileLoader(service)
while (newest < 9) await loadNext()

async function loadNext(): Promise<void> {
  newest++
  const records = nextRelease(newest)
  releases.push(records)
  const rows = [...records].map(([id, { state, status }]) => `${id},E1/1,${state},${status}`)
  const lines = ["id,tenement_id,state,status", ...rows]
  const { release } = await load("tenements", { "rows.csv": lines }, { acceptShrink: true })
  expect(release).toBe(newest)
}

/** Some of few records come, change, go and come back; in releases 5 to 7 there are many others. */
function nextRelease(release: number): Map<string, Version> {
  const before = releases.at(-1) ?? new Map<string, Version>()
  const few = Array.from({ length: 40 }, (_, index) => `T${index}`).filter(() => random() < 0.6)
  const many = Array.from({ length: manyRecords }, (_, index) => `M${index}`)
  const ids = [...few, ...(release >= 5 && release <= 7 ? many : [])]
  return new Map(
    ids.map((id) => {
      const old = before.get(id)
      if (old && random() < (release === 6 ? 0.01 : 0.5)) return [id, old]
      const [state, status] = [pick(states), pick(statuses)]
      const isSame = old?.state === state && old.status === status
      return [id, isSame ? old : { state, status, since: release }]
    }),
  )
}

type Matches = (version: Version) => boolean
const filters: [query: string, matches: Matches][] = [
  ["", () => true],
  ["&state=WA", ({ state }) => state === "WA"],
  ["&state=SA&status=granted", ({ state, status }) => state === "SA" && status === "granted"],
]

/** By key, whose bytes are in the order of JavaScript since they are ASCII. */
function expected(kind: "updated" | "removed", since: number, at: number, matches: Matches) {
  const [before, now] = [releases[since], releases[at]]
  const inList = (records = new Map<string, Version>()) =>
    [...records].filter(([, version]) => matches(version))
  const kept = new Set(inList(now).map(([id]) => id))
  const rows =
    kind === "updated"
      ? inList(now).filter(([, version]) => version.since > since)
      : inList(before).filter(([id]) => !kept.has(id))
  return rows.map(([id, { state, status }]) => `${id},E1/1,${state},${status}`).sort()
}

/** Each sought kind, and each row with what changed as the last cell. */
function expectedKinds(since: number, at: number, matches: Matches, sought: readonly string[]) {
  return [...(releases[at] ?? [])]
    .flatMap(([id, now]) => {
      if (!matches(now) || now.since <= since) return []
      const was = releases[since]?.get(id)
      const differing = (["state", "status"] as const).filter(
        (name) => was && was[name] !== now[name],
      )
      const isAdded = !was || !matches(was)
      const kinds = isAdded ? ["added", ...differing] : differing
      if (sought.length > 0 && !kinds.some((kind) => sought.includes(kind))) return []
      return [`${id},E1/1,${now.state},${now.status},${isAdded ? "added" : differing.join("; ")}`]
    })
    .sort()
}

async function compareKinds(oldest: number): Promise<void> {
  for (let at = oldest; at <= newest; at++) {
    for (let since = oldest; since <= at; since++) {
      const [query, matches] = pick(filters)
      const sought = ["added", "state", "status"].filter(() => random() < 0.5)
      const changed = sought.length > 0 ? `&changed=${sought}` : ""
      const path = `/tenements?updated_since=${since}&as_of=${at}${query}${changed}`
      const shown = "&fields=id,tenement_id,state,status,changed"
      const rows = await exported(`${path}${shown}`, 5)
      expect([path, rows]).toEqual([path, expectedKinds(since, at, matches, sought)])
      const { meta, data } = await readList(await service.get(`${path}${shown}&per_page=7&page=2`))
      const cells = data.map(({ changed, ...others }) =>
        [...Object.values(others), (changed as string[]).join("; ")].join(","),
      )
      expect([path, meta.total, cells]).toEqual([path, rows.length, rows.slice(7, 14)])
    }
  }
}

test("The parameter and the field changed tell what changed between any two releases", () =>
  compareKinds(1))

async function exported(path: string, cells = 4): Promise<string[]> {
  const response = await service.get(`${path}&format=csv&all=true`)
  expect([path, response.status]).toEqual([path, 200])
  const rows = (await response.text()).split("\r\n").slice(1, -1)
  expect([path, response.headers.get("x-total-count")]).toEqual([path, String(rows.length)])
  return rows.map((row) => row.split(",").slice(0, cells).join(","))
}

async function compareAll(oldest: number): Promise<void> {
  for (const kind of ["updated", "removed"] as const) {
    for (let at = oldest; at <= newest; at++) {
      for (let since = oldest; since <= at; since++) {
        const [query, matches] = filters[(at + since) % filters.length] ?? ["", () => true]
        const asOf = at === newest ? "" : `&as_of=${at}`
        const path = `/tenements?${kind}_since=${since}${asOf}${query}`
        expect([path, ...(await exported(path))]).toEqual([
          path,
          ...expected(kind, since, at, matches),
        ])
      }
    }
  }
}

test("The filters updated_since and removed_since return the changes between any two releases", () =>
  compareAll(1))

test("Pages of changes add up to the whole list", async () => {
  for (const list of ["updated_since=4&as_of=7", "updated_since=6&as_of=7", "removed_since=6"]) {
    const whole = await exported(`/tenements?${list}`)
    for (const page of [1, 2, 5, Math.ceil(whole.length / 17)]) {
      const rows = await service.get(`/tenements?${list}&per_page=17&page=${page}&format=csv`)
      const ids = (await rows.text())
        .split("\r\n")
        .slice(1, -1)
        .map((row) => row.split(",")[0])
      const from = (page - 1) * 17
      expect([list, page, ids]).toEqual([
        list,
        page,
        whole.slice(from, from + 17).map((row) => row.split(",")[0]),
      ])
    }
  }
})

async function pruneBefore(oldest: number): Promise<void> {
  await service.sql`update releases set published_at = now() - (${newest} - id)::integer * interval '25 hours'`
  service.clock.now = new Date(Date.now() + 60_000)
  expect((await prune(service.database.url, newest - oldest)).oldest).toBe(oldest)
}

test("Changes between kept releases are exact after pruning", async () => {
  await pruneBefore(6)
  await compareAll(6)
})

test("Changes and versions are exact after more loads and another pruning", async () => {
  for (let load = 0; load < 3; load++) await loadNext()
  await compareAll(6)
  await compareVersions(6)
  await compareKinds(6)
  await pruneBefore(8)
  await compareVersions(8)
  await loadNext()
  await compareAll(8)
  await compareVersions(8)
  for (const path of ["/tenements?as_of=7", "/tenements/T0/history?as_of=7"]) {
    expect((await service.get(path)).status).toBe(400)
  }
})

async function compareVersions(oldest: number): Promise<void> {
  for (let index = 0; index < 40; index++) {
    const path = `/tenements/T${index}/history?per_page=100`
    const response = await service.get(path)
    const { data } = response.status === 404 ? { data: [] } : await readList(response)
    const rows = data.map((version) => [
      version.since_release,
      version.until_release,
      version.state,
      version.status,
    ])
    expect([path, rows]).toEqual([path, versionsOf(`T${index}`, oldest)])
  }
}

/** Newest first: those that a release since the oldest has. */
function versionsOf(id: string, oldest: number): unknown[][] {
  const versions = new Map<number, [number, number | null, string, string]>()
  for (let release = oldest; release <= newest; release++) {
    const version = releases[release]?.get(id)
    if (!version) continue
    const isSuperseded = release < newest && releases[release + 1]?.get(id)?.since !== version.since
    const until = isSuperseded ? release + 1 : null
    versions.set(version.since, [version.since, until, version.state, version.status])
  }
  return [...versions.values()].reverse()
}
