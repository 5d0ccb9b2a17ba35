/**
 * After a restore of the database under a running service, no statement serves anything of another
 * release of the same number. Whole responses are not cached here: they are served until a notification
 * of the restore arrives, see release-notifications.
 */
import { expect, test } from "bun:test"
import { awkward } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { until } from "../support/until.ts"
import { type ListBody, readList, releaseOf } from "./bodies.ts"

const service = await serviceOfFile({ settings: { CACHE_MEMORY_MB: "0" } })

/** Until the service reads the newest release again it requests the lost one, and responds with 503. */
const untilAnswered = () => until(async () => (await service.get(everyReport)).status === 200)

const titles = ({ data }: ListBody) => data.map(({ title }) => title)
const everyReport = "/reports?per_page=100"

test("After a restore to an older release its pages are read without the history again", async () => {
  await service.publish({ ...awkward, reports: awkward.reports.slice(0, 5) })
  expect((await readList(await service.get(everyReport))).meta.total).toBe(5)
  await service.publish({ ...awkward, reports: awkward.reports.slice(0, 6) })
  expect((await readList(await service.get(everyReport))).meta.total).toBe(6)

  // The dump of release 2: its own rows, and no later release.
  await service.sql`delete from reports`
  const columns = service.sql(
    "hash, asx_code, title, title_folded, type, types_folded, report_group, published_at, url, source, since_release".split(
      ", ",
    ),
  )
  await service.sql`insert into reports (${columns}) select ${columns}
    from reports_history where since_release = 2 and until_release = 3`
  await service.sql`delete from reports_history where since_release = 2 or until_release = 3`
  await service.sql`delete from releases where id = 3`
  await untilAnswered()
  const restored = await readList(await service.get(everyReport))
  expect(restored.meta.total).toBe(5)

  // Against the rules, which is how it shows: a row of the history that stood at release 2.
  await service.sql`update reports_history set until_release = 3 where hash in
    (select hash from reports_history order by hash limit 1)`
  expect(titles(await readList(await service.get(everyReport)))).toEqual(titles(restored))
})

test("A reused release number after a restore has different entity tags", async () => {
  const tables = ["releases", "reports", "reports_history"]
  await service.sql`create schema backup`
  for (const table of tables) {
    await service.sql`create table ${service.sql(`backup.${table}`)} as table ${service.sql(table)}`
  }
  const tagged = async () => {
    const response = await service.get(everyReport)
    const tag = response.headers.get("etag") ?? ""
    return { tag, release: releaseOf(response), titles: titles(await readList(response)) }
  }
  const original = await tagged()
  await service.publish({ ...awkward, reports: awkward.reports.slice(0, 6) })
  const lost = await tagged()
  const record = `/reports/${awkward.reports[0]?.hash}`
  const recordTag = (await service.get(record)).headers.get("etag") ?? ""

  await service.sql.begin(async (sql) => {
    for (const table of tables) {
      await sql`delete from ${sql(table)}`
      const columns = await sql<{ name: string }[]>`
        select column_name as name from information_schema.columns
        where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'`
      const names = sql(columns.map(({ name }) => name))
      await sql`insert into ${sql(table)} (${names}) select ${names} from ${sql(`backup.${table}`)}`
    }
  })
  const request = (path: string, tag: string) =>
    service.get(path, { headers: { "If-None-Match": tag } })
  await untilAnswered()
  // The same release: what callers have of it is still true.
  const unchanged = await request(everyReport, original.tag)
  expect([unchanged.status, releaseOf(unchanged)]).toEqual([304, original.release])
  expect((await request(everyReport, lost.tag)).status).toBe(200)

  // With the same number, and in the same second, as the one that is lost.
  await service.publish({ ...awkward, reports: awkward.reports.slice(2) })
  const again = await request(everyReport, lost.tag)
  expect([again.status, releaseOf(again)]).toEqual([200, lost.release])
  expect(titles(await readList(again))).not.toEqual(lost.titles)
  expect((await request(record, recordTag)).status).not.toBe(304)
})
