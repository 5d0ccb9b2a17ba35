/**
 * A backup is restored while the service runs. It can bring back lower release numbers, and the
 * numbers after those are given again, to other data: no caller may get a 304, a cached answer or a
 * page that belongs to the data before.
 */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { commandsIn } from "../backup/databases.ts"
import { awkward, type Fixtures } from "../support/fixtures.ts"
import { type TestService, testService } from "../support/service.ts"
import { type ListBody, readError, readList } from "./bodies.ts"

let service: TestService
const { path, mds, remove } = commandsIn()

beforeAll(async () => {
  service = await testService()
})

afterAll(async () => {
  await service.stop()
  remove()
})

const first: Fixtures = { ...awkward, reports: awkward.reports.slice(0, 6) }
const second: Fixtures = { ...awkward, reports: awkward.reports.slice(2) }
const everyReport = "/reports?per_page=100"

const hashes = ({ data }: ListBody) => data.map(({ hash }) => hash)
const restore = () => mds(service.database.url, ["restore", "--replace", path("one.dump")])

async function taggedReports() {
  const response = await service.get(everyReport)
  return { tag: response.headers.get("etag") ?? "", hashes: hashes(await readList(response)) }
}

test("a release number that is given again has other entity tags, answers and pages", async () => {
  const original = await taggedReports()
  expect((await mds(service.database.url, ["backup", path("one.dump")])).code).toBe(0)

  await service.publish(first)
  const lost = await taggedReports()
  expect(lost.hashes).not.toEqual(original.hashes)
  const begun = await readList(await service.get("/reports?per_page=2"))
  const record = `/reports/${begun.data[0]?.hash}`
  const recordTag = (await service.get(record)).headers.get("etag") ?? ""

  expect((await restore()).code).toBe(0)
  // The same release: what callers have of it is still true.
  const unchanged = await service.get(everyReport, { headers: { "If-None-Match": original.tag } })
  expect([unchanged.status, unchanged.headers.get("x-data-release")]).toEqual([304, "1"])
  expect((await service.get(everyReport, { headers: { "If-None-Match": lost.tag } })).status).toBe(
    200,
  )
  expect((await taggedReports()).hashes).toEqual(original.hashes)

  // With the same number, and in the same second, as the one that is lost.
  await service.publish(second)
  const again = await service.get(everyReport, { headers: { "If-None-Match": lost.tag } })
  expect([again.status, again.headers.get("x-data-release")]).toEqual([200, "2"])
  const other = hashes(await readList(again))
  expect(other).not.toEqual(lost.hashes)
  expect(other).not.toEqual(original.hashes)
  const oldRecord = await service.get(record, { headers: { "If-None-Match": recordTag } })
  expect(oldRecord.status).not.toBe(304)
  // The pages that were begun belong to what is lost.
  const page = await service.get("/reports?per_page=2&page=2")
  expect(page.status).toBe(400)
  expect(JSON.stringify(await readError(page))).toContain("start again at page 1")
})

test("while a backup is restored, every answer is whole, of the data before or after", async () => {
  await service.publish(first)
  const before = (await taggedReports()).hashes
  let restored = false
  const answers: string[] = []
  const statuses = new Set<number>()
  let slowestMs = 0
  const read = async (): Promise<void> => {
    for (let n = 0; !restored; n++) {
      const startedMs = performance.now()
      // No two requests are the same, so that none is answered from a cache.
      const response = await service.get(`${everyReport}&_=${n}&search=${n % 2 ? "a" : "e"}`)
      await response.text()
      const whole = await service.get(everyReport)
      statuses.add(response.status).add(whole.status)
      if (whole.ok) answers.push(hashes(await readList(whole)).join(" "))
      slowestMs = Math.max(slowestMs, performance.now() - startedMs)
    }
  }
  const reading = Promise.all([read(), read(), read()])
  const { code, stderr } = await restore()
  restored = true
  await reading
  expect([code, stderr]).toEqual([0, expect.stringContaining("Restored release 1")])
  expect([...statuses]).toEqual([200])
  const after = (await taggedReports()).hashes
  const seen = [...new Set(answers)]
  expect(seen.every((answer) => [before.join(" "), after.join(" ")].includes(answer))).toBe(true)
  expect(seen).toContain(before.join(" "))
  expect(slowestMs).toBeLessThan(5_000)
})
