/** Each change of a watched subject is reported by one event, whose counts are those of its addresses. */
import { beforeEach, expect, test } from "bun:test"
import { setDisabled } from "../../../src/accounts/access/accounts.ts"
import { createEvents, createPreview } from "../../../src/accounts/alerts/events.ts"
import { pauseWatch, resumeWatch } from "../../../src/accounts/alerts/store.ts"
import { subjectOf } from "../../../src/accounts/alerts/watch.ts"
import { cacheSizes } from "../../../src/data/db/cache.ts"
import { createReader } from "../../../src/data/reader/reader.ts"
import { createReleases } from "../../../src/data/reader/releases.ts"
import { prune } from "../../../src/ingest/loading/prune.ts"
import { pageOfSubject } from "../../../src/web/pages/explore/lists/watched.ts"
import { fileLoader } from "../../ingest/loading/file-loader.ts"
import { awkward, type Fixtures } from "../../support/fixtures.ts"
import { until } from "../../support/until.ts"
import { alertWorkbench } from "./alert-workbench.ts"

const bench = await alertWorkbench()
const { service, pool, receiver, watch, change, settled, totalAt } = bench

beforeEach(async () => {
  await service.sql`delete from watches`
  receiver.events.length = 0
})

const reader = createReader({ records: pool, lists: pool, exports: pool }, cacheSizes(0), () => {})

const withTenements = (
  change: (each: Fixtures["tenements"][number]) => object | null,
): Fixtures => ({
  ...awkward,
  tenements: awkward.tenements.flatMap((each) => {
    const changed = change(each)
    return changed ? [{ ...each, ...changed }] : []
  }),
})

const newest = async (): Promise<number> =>
  (await service.sql<{ id: number }[]>`select max(id) as id from releases`)[0]?.id ?? 0

test("A changed list is reported with its counts, addresses and page, and signed", async () => {
  const { id } = await watch({ list: "/tenements?state=NT" }, { name: "Northern" })
  const release = await newest()
  await service.publish(
    withTenements(({ id }) => (id === "NT-1" ? null : id === "NT-2" ? { status: "granted" } : {})),
  )
  await until(() => receiver.events.length > 0, 10_000)
  await settled()
  const [event] = receiver.events
  expect(receiver.events).toHaveLength(1)
  const list = `${service.url}/api/v1/tenements?state=NT`
  // The fixtures publish every record anew, as changed.
  expect([event?.type, event?.timestamp, event?.data]).toEqual([
    "list.changed",
    "2026-03-01T00:00:00Z",
    {
      watch: { id, name: "Northern" },
      release: release + 1,
      since_release: release,
      list,
      changed: 2,
      changed_url: `${list}&updated_since=${release}&as_of=${release + 1}`,
      removed: 1,
      removed_url: `${list}&removed_since=${release}&as_of=${release + 1}`,
      page_url: `${service.url}/explore/changes/tenements?state=NT&since=${release}&as_of=${release + 1}`,
    },
  ])
  expect(await totalAt(event?.data.changed_url)).toBe(2)
  expect(await totalAt(event?.data.removed_url)).toBe(1)
})

test("A release that changes nothing of the list makes no event, and the next one compares with it", async () => {
  await service.publish(awkward)
  await watch({ list: "/tenements?state=NT&changed=status", report: "changes" })
  await service.publish(withTenements(() => ({})))
  await settled()
  expect(receiver.events).toEqual([])
  const release = await newest()
  await service.publish(withTenements(({ id }) => ({ ...(id === "NT-1" && { status: "ended" }) })))
  await settled()
  const [event] = receiver.events
  expect([event?.data.since_release, event?.data.changed, event?.data.removed]).toEqual([
    release,
    1,
    undefined,
  ])
  expect(await totalAt(event?.data.changed_url)).toBe(1)
  expect(event?.data.page_url).toBe(
    `${service.url}/explore/changes/tenements?state=NT&changed=status&since=${release}&as_of=${release + 1}`,
  )
})

test.each([
  [{ list: "/tenements?changed=status,added" }, "changed=added%2Cstatus%2Cremoved&"],
  [{ list: "/tenements?state=NT", report: "removals" }, "state=NT&changed=removed&"],
] as const)("The page of %j shows the reported changes and no others", (given, query) => {
  const release = { id: 4, publishedAt: 0, identity: "" }
  const period = { covered: release, isReadable: true, to: { ...release, id: 5 }, coveredDay: null }
  const page = pageOfSubject(subjectOf(given), { ...period, day: "2026-03-01" })
  expect(page).toBe(`/explore/changes/tenements?${query}since=4&as_of=5`)
})

test("A release of other records moves the cursor without an event", async () => {
  const { id } = await watch({ list: "/tenements" })
  const release = await newest()
  const manifest = { resources: { reports: { added: 1 } }, links: { changed: { companies: 1 } } }
  await service.sql`insert into releases (id, published_at, source, manifest)
    values (${release + 1}, now(), 'other', ${JSON.stringify(manifest)}::text::jsonb)`
  await settled()
  const [row] = await service.sql`select covered_release from watches where id = ${id}`
  expect([row?.covered_release, receiver.events]).toEqual([release + 1, []])
})

test("A record is reported by the names of its changed fields, and by its removal", async () => {
  await watch({ record: "/tenements/NT-1" })
  await service.publish(awkward)
  await settled()
  receiver.events.length = 0
  await service.publish(withTenements(({ id }) => ({ ...(id === "NT-1" && { status: "ended" }) })))
  await settled()
  await service.publish(withTenements(({ id }) => (id === "NT-1" ? null : {})))
  await settled()
  expect(receiver.events.map(({ type, data }) => [type, data.changed, data.removed])).toEqual([
    ["record.changed", ["status"], false],
    ["record.changed", [], true],
  ])
})

test("Every release is reported with the counts of each list", async () => {
  await watch({ releases: true })
  await service.publish({ ...awkward, reports: awkward.reports.slice(1) })
  await settled()
  const [event] = receiver.events
  expect([event?.type, event?.data.changed, event?.data.removed]).toEqual([
    "release.published",
    { companies: 33, tenements: 11, reports: awkward.reports.length - 1 },
    { companies: 0, tenements: 0, reports: 1 },
  ])
})

test("A pause and an outage are caught up by one event", async () => {
  const { id } = await watch({ list: "/reports" })
  await change(pauseWatch, id)
  const release = await newest()
  for (const count of [3, 5, 4]) {
    await service.publish({ ...awkward, reports: awkward.reports.slice(0, count) })
  }
  await settled()
  expect(receiver.events).toEqual([])
  await change(resumeWatch, id)
  await settled()
  expect(receiver.events.map(({ data }) => [data.since_release, data.release])).toEqual([
    [release, release + 3],
  ])
})

test("A disabled account's watches send nothing until it is enabled", async () => {
  const email = "away@example.com"
  await bench.accountOf(email)
  await watch({ releases: true }, { email })
  await setDisabled(service.editor, email, true)
  await service.publish(awkward)
  await bench.wake()
  await setDisabled(service.editor, email, false)
  await settled()
  expect(receiver.events).toHaveLength(1)
})

test("A comparison with a pruned release is a resync without counts", async () => {
  const { id } = await watch({ list: "/reports" })
  await change(pauseWatch, id)
  for (const _ of [1, 2]) await service.publish(awkward)
  await service.sql`update releases set published_at = published_at - interval '40 days'
    where id < ${await newest()}`
  await prune(service.database.url, 1)
  await change(resumeWatch, id)
  await settled()
  const [event] = receiver.events
  expect([event?.data.resync, event?.data.changed, event?.data.changed_url]).toEqual([
    true,
    undefined,
    undefined,
  ])
})

test("A cursor at a release that the database lost, as by a restore, is a resync at once", async () => {
  await watch({ list: "/reports" })
  const lost = (await newest()) + 5
  await service.sql`update watches set covered_release = ${lost}, covered_identity = gen_random_uuid()`
  await settled()
  const [event] = receiver.events
  expect([event?.data.resync, event?.data.since_release, event?.data.release]).toEqual([
    true,
    lost,
    lost - 5,
  ])
})

test("An event whose release was pruned during a pause is replaced by a resync", async () => {
  const { id } = await watch({ list: "/reports" })
  receiver.chosen.respond = () => new Response(null, { status: 500 })
  await service.publish(awkward)
  await until(
    async () => (await service.sql`select from deliveries where watch_id = ${id}`).length > 0,
  )
  await change(pauseWatch, id)
  await service.publish(awkward)
  await service.sql`update releases set published_at = published_at - interval '40 days'
    where id < ${await newest()}`
  await prune(service.database.url, 1)
  receiver.events.length = 0
  receiver.chosen.respond = () => new Response(null, { status: 204 })
  await change(resumeWatch, id)
  await settled()
  expect(receiver.events.map(({ data }) => [data.resync, data.release, data.changed_url])).toEqual([
    [true, await newest(), undefined],
  ])
})

test("Pruning keeps the release of an active watch's cursor for 31 days", async () => {
  await service.sql`update accounts set disabled_at = null`
  const { id } = await watch({ list: "/reports" })
  const cursor = await newest()
  // An event in progress names the release before it.
  receiver.chosen.respond = () => new Response(null, { status: 500 })
  await service.publish(awkward)
  await until(() => receiver.events.length > 0)
  await service.publish(awkward)
  const dated = (days: number) => service.sql`update releases
    set published_at = now() - make_interval(days => ${days}) where id < ${cursor + 2}`
  await dated(30)
  await service.sql`update releases set published_at = now() - interval '2 days' where id = ${cursor + 2}`
  await service.sql`update releases set published_at = now() - interval '60 days' where id < ${cursor}`
  expect((await prune(service.database.url, 1)).oldest).toBe(cursor)
  await change(pauseWatch, id)
  expect((await prune(service.database.url, 1)).oldest).toBe(cursor + 2)
  receiver.chosen.respond = () => new Response(null, { status: 204 })
})

test("A preview shows what a watch would have sent in the last 30 days, or since the oldest release", async () => {
  await service.publish(awkward)
  await service.sql`update releases set published_at = now() where id = ${await newest()}`
  const preview = createPreview({
    reader,
    releases: createReleases(pool),
    baseUrl: service.url,
    pageOf: pageOfSubject,
    now: () => new Date(),
  })
  const tried = await preview(subjectOf({ list: "/tenements?state=NT" }), 1)
  expect(tried.releases).toBeGreaterThan(0)
  expect([tried.event?.data.changed, tried.event?.data.removed]).toEqual([
    await totalAt(tried.event?.data.changed_url),
    await totalAt(tried.event?.data.removed_url),
  ])
  expect((await preview(subjectOf({ record: "/tenements/NT-1" }), 1)).event).toBe(null)
})

test("The records of an event are found after a change of BASE_URL", async () => {
  const releases = createReleases(pool)
  const covered = await releases.current()
  await service.publish(withTenements(({ id }) => (id === "NT-1" ? null : {})))
  const to = await releases.current()
  const [before, after] = ["https://data.example.com", "https://example.com/mining"].map(
    (baseUrl) => createEvents({ reader, baseUrl, pageOf: pageOfSubject }),
  )
  const subject = subjectOf({ list: "/tenements?state=NT" })
  const period = { covered, isReadable: true, to, coveredDay: null, day: "2026-03-01" }
  const event = await before?.since({ id: 1, name: "", subject }, period, service.clock.now)
  if (!event) throw new Error("No event")
  const found = await after?.records(event, to, covered.id)
  expect(found?.removed).toMatchObject([{ id: "NT-1" }])
  expect(found?.changed).toHaveLength(Number(event.data.changed))
})

test("A watch around a tenement reports what comes near, and resyncs when that tenement's shape changes", async () => {
  const load = fileLoader(service)
  const publishSquares = (squares: Readonly<Record<string, number>>) =>
    load(
      "tenements",
      {
        "around.csv": [
          "id,tenement_id,state,status,geometry",
          ...Object.entries(squares).map(([id, west]) => {
            const ring = `${west} -20,${west + 0.1} -20,${west + 0.1} -19.9,${west} -19.9,${west} -20`
            return `${id},${id},QLD,granted,"POLYGON ((${ring}))"`
          }),
        ],
      },
      { partial: true, acceptMoved: true },
    )
  await publishSquares({ CENTRE: 140, FAR: 145 })
  await watch({ list: "/tenements?near=CENTRE,20" })
  await publishSquares({ FAR: 140.15 })
  await settled()
  await publishSquares({ CENTRE: 140.01 })
  await settled()
  const [entered, moved] = receiver.events
  expect([entered?.data.changed, entered?.data.resync]).toEqual([1, undefined])
  expect(await totalAt(entered?.data.changed_url)).toBe(1)
  expect([moved?.data.changed, moved?.data.resync]).toEqual([undefined, true])
  expect(receiver.events).toHaveLength(2)
})
