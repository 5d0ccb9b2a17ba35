/**
 * A page or export whose release disappears while it is read, by a restore or by pruning, never
 * mixes releases.
 */

import { afterEach, beforeEach, expect, test } from "bun:test"
import { prune } from "../../src/ingest/loading/prune.ts"
import { reportsOfTitle } from "../support/fixtures.ts"
import { type TestService, testService } from "../support/service.ts"
import { readList } from "./bodies.ts"

let service: TestService

beforeEach(async () => {
  service = await testService({ records: reportsNamed("first") })
})

afterEach(() => service.stop())

const reportsNamed = (title: string) => reportsOfTitle(title, 50)

const page = (number: number, query = "") =>
  service.get(`/reports?per_page=10&page=${number}${query}`)

/** What a restore of another database does: other rows and another time under the same number. */
async function restoreAnother(rows: "other rows" | "no rows"): Promise<void> {
  if (rows === "no rows") await service.sql`delete from reports`
  else await service.sql`update reports set title = 'another database'`
  await service.sql`update releases set identity = gen_random_uuid()`
}

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

async function expectGone(response: Response): Promise<void> {
  expect([response.status, await response.json()]).toEqual([400, gone])
}

test.each([
  ["other rows", 50],
  ["no rows", 0],
] as const)(
  "A page sequence whose release was replaced by one with %s has to begin again",
  async (rows, total) => {
    await page(1)
    await restoreAnother(rows)
    await expectGone(await page(2))
    for (const number of [1, 2, 4, 3, 2]) {
      const { data, meta } = await readList(await page(number))
      expect(meta.total).toBe(total)
      expect(new Set(data.map(({ title }) => title))).toEqual(
        new Set(total === 0 ? [] : ["another database"]),
      )
    }
  },
)

test("A later page of a pruned release is an error, never an empty page", async () => {
  await page(1)
  await service.publish(reportsNamed("second"))
  await service.sql`update releases set published_at = now() - interval '30 hours'`
  await prune(service.database.url, 1)
  await expectGone(await page(2))
  await expectGone(await page(3))
  expect((await page(1)).headers.get("x-data-release")).toBe("2")
  expect((await page(2)).headers.get("x-data-release")).toBe("2")
})
