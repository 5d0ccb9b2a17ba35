/** A request for a release by its number gets that release. */
import { expect, test } from "bun:test"
import { maxStalenessMs } from "../../../src/data/db/notifications.ts"
import { cacheNewestRelease } from "../../../src/data/reader/newest-release.ts"

test("The newest release by its number is never a newer one, even as its cache expires", async () => {
  const release = (id: number) => ({ id, publishedAt: id, identity: String(id) })
  const reads = {
    current: async () => release(newest),
    oldest: async () => 1,
    at: async () => release(5),
  }
  let newest = 5
  let nowMs = 0
  const releases = cacheNewestRelease(reads, () => new Date(nowMs++))
  releases.setSubscribed(true)
  await releases.current()
  // No notification of it has arrived, and the cached one expires with the next look at the clock.
  newest = 6
  nowMs = maxStalenessMs - 1
  expect(await releases.at({ kind: "release", id: 5 })).toEqual(release(5))
})
