/** Pruning deletes history, and changes no response that can still be asked for. */

import { expect, test } from "bun:test"
import { prune } from "../../src/ingest/loading/prune.ts"
import { none, reportsOfTitle } from "../support/fixtures.ts"
import { serviceOfFile, testService } from "../support/service.ts"
import { faultsOf, readList } from "./bodies.ts"

const reportsNamed = (title: string) => reportsOfTitle(title, 20)

const service = await serviceOfFile({ records: reportsNamed("release 1") })

// Release n was published 5 - n days, and as many hours, ago.
for (const id of [2, 3, 4, 5]) await service.publish(reportsNamed(`release ${id}`))
await service.sql`update releases set published_at = date_trunc('second', now()) - (5 - id) * interval '25 hours'`
service.clock.now = new Date(Date.now() + 60_000)

const everyRelease = "/releases?per_page=100"

test("The list of releases and every page of a kept release are the same after pruning, with their entity tags", async () => {
  const ask = async (path: string, tag?: string | null) => {
    const response = await service.get(path, { headers: tag ? { "If-None-Match": tag } : {} })
    return {
      status: response.status,
      tag: response.headers.get("etag"),
      body: await response.text(),
    }
  }
  const paths = [
    everyRelease,
    "/releases?as_of=4",
    "/releases?format=csv",
    "/releases?per_page=2",
    "/releases?format=csv&all=true",
    ...[1, 2, 3, 4].map((page) => `/reports?as_of=4&per_page=5&page=${page}`),
  ]
  const before = await Promise.all(paths.map((path) => ask(path)))
  expect(before.map(({ status }) => status)).toEqual(paths.map(() => 200))
  expect(await prune(service.database.url, 1)).toEqual({ oldest: 4, releases: 3, records: 60 })
  expect(await Promise.all(paths.map((path) => ask(path)))).toEqual(before)
  for (const [index, path] of paths.entries()) {
    expect((await ask(path, before[index]?.tag)).status).toBe(304)
  }
  // Not only from the caches of this process.
  const other = await testService({ beside: service, now: service.clock.now })
  const response = await other.get(everyRelease)
  expect([response.status, await response.text()]).toEqual([200, before[0]?.body ?? ""])
  await other.stop()
  const kept = await service.sql`select distinct until_release as until from reports_history`
  expect([...kept]).toEqual([{ until: 5 }])
})

test("A second pruning deletes nothing and reports the kept releases", async () => {
  // Release 2 was current within three days, but it is deleted.
  for (const days of [1, 3]) {
    const pruned = await prune(service.database.url, days)
    expect(pruned).toEqual({ oldest: 4, releases: 0, records: 0 })
  }
})

test("Every parameter for a point in time rejects a pruned release", async () => {
  for (const query of ["as_of=3", "updated_since=3", "removed_since=3", "as_of=2000-01-01"]) {
    const [parameter = ""] = query.split("=")
    const message = "Must not be before release 4, the oldest that is available"
    expect(await faultsOf(service, `/reports?${query}`)).toEqual([{ parameter, message }])
  }
  expect((await service.get("/reports/00?as_of=3")).status).toBe(400)
  expect((await service.get("/releases?as_of=3")).status).toBe(400)
  expect((await readList(await service.get("/reports?as_of=4"))).data[0]?.title).toBe("release 4")
})

test("Pruning keeps every release that was the newest at any moment of the last 24 hours", async () => {
  await using other = await testService({ records: none })
  for (const id of [2, 3, 4, 5]) await other.publish(reportsNamed(`release ${id}`))
  const hoursAgo = async (...hours: number[]) => {
    for (const [index, each] of hours.entries()) {
      await other.sql`update releases set published_at = now() - ${each}::float8 * interval '1 hour' where id = ${index + 1}`
    }
    return (await prune(other.database.url, 1)).oldest
  }
  // Release 2 was replaced less than a day ago, and release 1 more.
  expect(await hoursAgo(100, 24.5, 23.5, 2, 1)).toBe(2)
  expect(await hoursAgo(100, 50, 40, 30, 24.5)).toBe(5)
})
