/**
 * A page or export whose release disappears while it is read, by a restore or by pruning, never
 * mixes releases.
 */

import { beforeEach, expect, test } from "bun:test"
import { prune } from "../../src/ingest/loading/prune.ts"
import { none, reportsOfTitle } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { faultsOf, readList, releaseOf } from "./bodies.ts"

const service = await serviceOfFile({ records: none })
/** The newest release. */
let newest = 1

async function publish(title: string): Promise<void> {
  await service.publish(reportsOfTitle(title, 50))
  newest++
}

beforeEach(() => publish("first"))

const page = (number: number) => service.get(`/reports?per_page=10&page=${number}`)

/** What a restore of another database does: other rows and another time under the same number. */
async function restoreAnother(rows: "other rows" | "no rows"): Promise<void> {
  if (rows === "no rows") await service.sql`delete from reports`
  else await service.sql`update reports set title = 'another database'`
  await service.sql`update releases set identity = gen_random_uuid()`
}

async function expectGone(release: number, number: number): Promise<void> {
  const message = `Release ${release}, which page 1 showed, is no longer available; start again at page 1`
  const faults = await faultsOf(service, `/reports?per_page=10&page=${number}`)
  expect(faults).toEqual([{ parameter: "page", message }])
}

test.each([
  ["other rows", 50],
  ["no rows", 0],
] as const)(
  "A page sequence whose release was replaced by one with %s has to begin again",
  async (rows, total) => {
    await page(1)
    await restoreAnother(rows)
    await expectGone(newest, 2)
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
  await publish("second")
  await service.sql`update releases set published_at = now() - interval '30 hours'`
  await prune(service.database.url, 1)
  await expectGone(newest - 1, 2)
  await expectGone(newest - 1, 3)
  expect([releaseOf(await page(1)), releaseOf(await page(2))]).toEqual([newest, newest])
})
