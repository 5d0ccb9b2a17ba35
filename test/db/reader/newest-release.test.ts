/** The newest release is cached while this process is notified of changes, and never older than the last. */
import { expect, test } from "bun:test"
import { maxStalenessMs } from "../../../src/db/notifications.ts"
import { cacheNewestRelease } from "../../../src/db/reader/newest-release.ts"
import type { Release, Releases } from "../../../src/db/reader/releases.ts"
import { seeded } from "../../support/seeded.ts"

const release = (id: number): Release => ({ id, publishedAt: 1_000 + id, identity: `${id}` })

/** A database whose reads see what is published when they begin, and end when the test says so. */
function database() {
  let published = 1
  const reads: { account: unknown; end: () => void; fail: () => void }[] = []
  const current: Releases["current"] = (account) => {
    const seen = release(published)
    const { promise, resolve, reject } = Promise.withResolvers<Release>()
    reads.push({ account, end: () => resolve(seen), fail: () => reject(new Error("failed")) })
    return promise
  }
  const at: Releases["at"] = () => Promise.reject(new Error("Not read here"))
  const oldest: Releases["oldest"] = () => Promise.reject(new Error("Not read here"))
  return {
    releases: { current, at, oldest },
    reads,
    publish: () => ++published,
    /** Ends every read, in turn. */
    endAll: () => {
      for (const { end } of reads) end()
    },
  }
}

function subscribedTo({ releases }: { releases: Releases }) {
  const clock = { ms: 1_000_000 }
  const cached = cacheNewestRelease(releases, () => new Date(clock.ms))
  cached.setSubscribed(true)
  return { ...cached, clock }
}

/** Has the newest release read and cached. */
async function cacheFirst(current: Releases["current"], endAll: () => void): Promise<void> {
  const first = current()
  endAll()
  await first
}

test("requests at once share a read, and later ones need none", async () => {
  const { reads, endAll, ...rest } = database()
  const { current } = subscribedTo(rest)
  const requests = Array.from({ length: 10 }, (_, account) => current(account))
  endAll()
  expect(await Promise.all(requests)).toEqual(Array(10).fill(release(1)))
  for (let request = 0; request < 10; request++) expect(await current(request)).toEqual(release(1))
  // For no account, so that none is refused or delayed because of another's queue.
  expect(reads.map(({ account }) => account)).toEqual([undefined])
})

test("a cached release is read again once a second, and no request waits for that", async () => {
  const { reads, publish, endAll, ...rest } = database()
  const { current, clock } = subscribedTo(rest)
  await cacheFirst(current, endAll)
  publish()
  clock.ms += 999
  expect([await current(), reads.length]).toEqual([release(1), 1])
  clock.ms += 1
  expect([await current(), await current(), reads.length]).toEqual([release(1), release(1), 2])
  endAll()
  await Bun.sleep(0)
  expect([await current(), reads.length]).toEqual([release(2), 2])
})

test("a release that cannot be read again is used for half a minute, and not after the clock is set back", async () => {
  const { reads, publish, endAll, ...rest } = database()
  const { current, clock } = subscribedTo(rest)
  await cacheFirst(current, endAll)
  publish()
  clock.ms += maxStalenessMs - 1
  expect([await current(), reads.length]).toEqual([release(1), 2])
  reads[1]?.fail()
  await Bun.sleep(0)
  clock.ms += 1
  const second = current()
  endAll()
  expect([await second, reads.length]).toEqual([release(2), 3])
  clock.ms -= maxStalenessMs
  const third = current()
  endAll()
  expect([await third, reads.length]).toEqual([release(2), 4])
})

test("a read that fails is not cached", async () => {
  const { reads, endAll, ...rest } = database()
  const { current } = subscribedTo(rest)
  const failing = Promise.allSettled([current(), current()])
  reads[0]?.fail()
  expect((await failing).map(({ status }) => status)).toEqual(["rejected", "rejected"])
  const next = current()
  endAll()
  expect([await next, reads.length]).toEqual([release(1), 2])
})

test("in every interleaving a request shows at least the release of the last notification before it", async () => {
  for (let round = 0; round < 500; round++) {
    const random = seeded(round)
    const { reads, publish, endAll, ...rest } = database()
    const { current, invalidate, setSubscribed, recordSeen } = subscribedTo(rest)
    const wrong: unknown[] = []
    const requests: Promise<void>[] = []
    let published = 1
    let notified = 1
    let ended = 0
    let connected = true
    const steps: (() => void)[] = [
      () => {
        published = publish()
      },
      () => {
        if (!connected) return
        notified = published
        invalidate()
      },
      () => {
        connected = !connected
        // Without a connection each request reads what is published.
        notified = published
        setSubscribed(connected)
      },
      () => recordSeen(1 + Math.floor(random() * published)),
      () => {
        const atLeast = connected ? notified : published
        requests.push(
          current().then(({ id }) => {
            if (id < atLeast) wrong.push({ round, id, atLeast })
          }),
        )
      },
      // In any order: a read may overtake an older one.
      () => reads[Math.floor(random() * reads.length)]?.end(),
      () => reads[ended++]?.end(),
    ]
    for (let step = 0; step < 60; step++) {
      steps[Math.floor(random() * steps.length)]?.()
      if (random() < 0.7) await Bun.sleep(0)
    }
    endAll()
    await Promise.all(requests)
    expect(wrong).toEqual([])
  }
})
