/**
 * A page or export whose release disappears while it is read, by a restore or by pruning, never
 * mixes releases.
 */

import { afterEach, beforeEach, expect, test } from "bun:test"
import { prune } from "../../src/loading/prune.ts"
import { reportsOfTitle } from "../support/fixtures.ts"
import { type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { readList } from "./bodies.ts"

let service: TestService

beforeEach(async () => {
  service = await testService({ records: reportsNamed("first") })
})

afterEach(() => service.stop())

const reportsNamed = (title: string) => reportsOfTitle(title, 50)

const page = (number: number, query = "") =>
  service.get(`/reports?per_page=10&page=${number}${query}`)

const gone = {
  error: {
    code: "INVALID_PARAMETER",
    message: "Invalid parameter",
    details: {
      parameters: [
        {
          parameter: "page",
          message: "Release 1, which page 1 showed, is no longer available; start again at page 1",
        },
      ],
    },
  },
}

async function expectGone(answer: Response): Promise<void> {
  expect([answer.status, await answer.json()]).toEqual([400, gone])
}

/** What a restore of another database does: other rows and another time under the same number. */
async function restoreAnother(rows: "other rows" | "no rows"): Promise<void> {
  if (rows === "no rows") await service.sql`delete from reports`
  else await service.sql`update reports set title = 'another database'`
  await service.sql`update releases set published_at = published_at + interval '1 second'`
}

test.each(["other rows", "no rows"] as const)(
  "a page sequence ends in an error where its release was replaced by one with %s",
  async (rows) => {
    expect((await page(1)).status).toBe(200)
    await restoreAnother(rows)
    await expectGone(await page(2))
    await expectGone(await page(2))
    await expectGone(await page(3))
    const again = await readList(await page(1))
    expect(again.meta.total).toBe(rows === "no rows" ? 0 : 50)
    if (rows === "no rows") return
    // In any order: none of them continues the sequence that ended.
    for (const number of [4, 3, 2, 5]) {
      const { data } = await readList(await page(number))
      expect(new Set(data.map(({ title }) => title))).toEqual(new Set(["another database"]))
    }
  },
)

test("another client that reads the same pages does not lend its release to a sequence that ended", async () => {
  await page(1)
  await restoreAnother("other rows")
  const token = await service.issue("admin@example.com")
  expect((await service.get("/reports?per_page=10&page=1", { token })).status).toBe(200)
  await expectGone(await page(2))
  expect((await service.get("/reports?per_page=10&page=2", { token })).status).toBe(200)
  await expectGone(await page(3))
})

test("a later page of a release that was pruned is an error, never an empty page", async () => {
  await page(1)
  await service.publish(reportsNamed("second"))
  // As if it had not been written yet.
  await until(async () => (await service.sql`delete from pinned_releases`).count > 0)
  await prune(service.database.url, 0)
  await expectGone(await page(2))
  expect((await page(1)).headers.get("x-data-release")).toBe("2")
  expect((await page(2)).headers.get("x-data-release")).toBe("2")
})
