/**
 * However the requests of several clients for one query interleave with publishing, each page is of
 * the release of its sequence.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { sequenceIdleMs } from "../../../src/answers/sequences/page-sequence.ts"
import {
  createPageSequences,
  type PageSequences,
  type SequenceQuery,
} from "../../../src/answers/sequences/page-sequences.ts"
import { createSharedPageSequences } from "../../../src/answers/sequences/shared-page-sequences.ts"
import type { Release } from "../../../src/db/reader/releases.ts"
import { connectRedis, type RedisConnection } from "../../../src/redis/connection.ts"
import {
  type RedisServer,
  redisIsInstalled,
  redisServer,
  sayIfLeftOut,
} from "../../support/redis.ts"
import { seeded } from "../../support/seeded.ts"

sayIfLeftOut(import.meta.path)

const pages = 6

/** A sequence as the client that reads it sees it. */
interface Reading {
  release: number
  /** The page after the last that was read. */
  next: number
  readMs: number
  /** The service knows how many pages there are: page 1 was not answered 304. */
  sized: boolean
}

class World {
  readonly #random: () => number
  readonly #processes: readonly PageSequences[]
  readonly #query: SequenceQuery
  nowMs = 1
  newest = 1
  /** What each client has begun, the newest at the end. */
  readonly clients: Reading[][]
  readonly #done: string[] = []
  /** The first page of another release, and what was done until then. */
  mistake: readonly string[] | undefined

  constructor(seed: number, processes: readonly PageSequences[], clients: number) {
    this.#random = seeded(seed)
    this.#processes = processes
    this.#query = { accountId: seed, key: crypto.randomUUID() }
    this.clients = Array.from({ length: clients }, () => [])
  }

  below = (bound: number): number => Math.floor(this.#random() * bound)
  oneOf = <T>(values: readonly T[]): T => values[this.below(values.length)] as T
  pass = (ms: number): void => {
    this.nowMs += ms
  }

  begin(client: number): Promise<void> {
    const sized = this.below(4) > 0
    const release = this.newest
    this.clients[client]?.push({ release, next: 2, readMs: this.nowMs, sized })
    this.#done.push(`${client}: page 1 of release ${release}`)
    return this.oneOf(this.#processes).begin(
      this.#query,
      {
        client: `client ${client}`,
        release: { id: release, publishedAt: release },
        pages: sized ? pages : undefined,
      },
      this.nowMs,
    )
  }

  async read(client: number, reading: Reading, page: number): Promise<void> {
    reading.next = Math.max(reading.next, page + 1)
    reading.readMs = this.nowMs
    this.#done.push(`${client}: page ${page} of release ${reading.release}`)
    const process = this.oneOf(this.#processes)
    const shown = await process.next(this.#query, `client ${client}`, page, this.nowMs)
    if (shown?.id === reading.release) return
    this.mistake ??= [...this.#done, `Page ${page} was of release ${shown?.id}`]
  }

  /** The pages that a client may mean for one sequence alone. */
  unmistakable(readings: readonly Reading[]): [Reading, number][] {
    const current = readings.at(-1)
    return readings.flatMap((reading, index) => {
      if (this.nowMs - reading.readMs > sequenceIdleMs) return []
      const { next, sized } = reading
      const ended = next > pages || !sized
      const pagesOf: number[] = []
      if (next <= pages) pagesOf.push(next)
      if (reading === current) {
        const earliest = ended ? Math.max(2, next - 1) : 2
        for (let page = earliest; page < next; page++) pagesOf.push(page)
      } else if (!ended && next > 2) pagesOf.push(next - 1)
      // What a newer sequence of the client expects or has read is the newer one's.
      const furthest = Math.max(0, ...readings.slice(index + 1).map((newer) => newer.next))
      return pagesOf
        .filter((page) => page > furthest)
        .map((page): [Reading, number] => [reading, page])
    })
  }

  /** One client's next request; it begins again, goes on, retries, goes back, or takes up an older sequence. */
  step(client: number): Promise<void> {
    const possible = this.unmistakable(this.clients[client] ?? [])
    if (possible.length === 0 || this.below(6) === 0) return this.begin(client)
    const [reading, page] = this.oneOf(possible)
    return this.read(client, reading, page)
  }
}

/** Clients that read in order, each with retries and returns, and with sequences given up or taken up again. */
async function interleave(seed: number, processes: readonly PageSequences[]) {
  const world = new World(seed, processes, 1 + (seed % 3))
  for (let step = 0; step < 60; step++) {
    // Requests of several clients at once, of which none may lose another's.
    await Promise.all(
      world.clients.map((_, client) => (world.below(2) ? world.step(client) : undefined)),
    )
    world.pass(world.below(40) ? 1 + world.below(20_000) : sequenceIdleMs)
    if (world.below(5) === 0) world.newest++
  }
  return world.mistake
}

/** A client that reads page 1 and then the others at once, each now and then twice, run after run. */
async function readInParallel(seed: number, processes: readonly PageSequences[]) {
  const world = new World(seed, processes, 1)
  for (let run = 0; run < 10; run++) {
    await world.begin(0)
    const reading = world.clients[0]?.at(-1)
    if (!reading) throw new Error("Nothing was begun")
    const order = Array.from({ length: pages - 1 }, (_, index) => index + 2)
      .flatMap((page) => (world.below(3) ? [page] : [page, page]))
      .map((page) => ({ page, place: world.below(1_000) }))
      .sort((a, b) => a.place - b.place)
    world.newest += world.below(2)
    await Promise.all(order.map(({ page }) => world.read(0, reading, page)))
    world.pass(1 + world.below(60_000))
    world.newest += world.below(2)
  }
  return world.mistake
}

const seeds = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n)

describe("in one process", () => {
  test("every page is of the release of the page 1 that its client means", async () => {
    for (const seed of seeds(1, 1_500))
      expect(await interleave(seed, [createPageSequences(null, 1_000_000)])).toBeUndefined()
  })

  test("pages read at once are of the release of their page 1, run after run", async () => {
    for (const seed of seeds(1, 500))
      expect(await readInParallel(seed, [createPageSequences(null, 1_000_000)])).toBeUndefined()
  })
})

describe.skipIf(!redisIsInstalled)("in three processes that share a Redis", () => {
  let server: RedisServer
  let connections: RedisConnection[]

  beforeAll(async () => {
    server = await redisServer()
    connections = Array.from({ length: 3 }, () =>
      connectRedis({ url: server.url, answerWithinMs: 20_000, onLost: () => {}, onBack: () => {} }),
    )
    await Promise.all(connections.map(({ ready }) => ready))
  })

  afterAll(async () => {
    for (const connection of connections) connection.close()
    await server.stop()
  })

  /** Their logs are compacted all the time. */
  const processes = () =>
    connections.map((connection) =>
      createPageSequences(createSharedPageSequences(connection, 5), 1_000_000),
    )

  test("every page is of the release of the page 1 that its client means", async () => {
    for (const seed of seeds(1, 100)) expect(await interleave(seed, processes())).toBeUndefined()
  })

  test("pages read at once are of the release of their page 1, run after run", async () => {
    for (const seed of seeds(1, 50)) expect(await readInParallel(seed, processes())).toBeUndefined()
  })

  test("they show what one process shows that makes the same changes in the same order", async () => {
    for (const seed of seeds(1, 60)) {
      const random = seeded(seed)
      const below = (bound: number) => Math.floor(random() * bound)
      const alone = createPageSequences(null, 1_000_000)
      // One of them keeps nothing, as a process does that has just started.
      const [one, other, last] = connections.map((connection, index) =>
        createPageSequences(createSharedPageSequences(connection, 5), index === 2 ? 0 : 1_000_000),
      ) as [PageSequences, PageSequences, PageSequences]
      const query = { accountId: seed, key: crypto.randomUUID() }
      for (let nowMs = 1; nowMs < 80_000_000; nowMs += 1 + below(below(30) ? 200_000 : 2_000_000)) {
        const client = `client ${below(3)}`
        const process = [one, other, last][below(3)] ?? one
        const release = { id: 1 + below(3), publishedAt: 1 }
        if (below(4) === 0) {
          const started = { client, release, pages: below(2) ? 4 : undefined }
          await alone.begin(query, started, nowMs)
          await process.begin(query, started, nowMs)
        } else if (below(20) === 0) {
          await alone.lose(query, release, nowMs)
          await process.lose(query, release, nowMs)
        } else {
          const page = 2 + below(4)
          const expected = await alone.next(query, client, page, nowMs)
          expect(await process.next(query, client, page, nowMs)).toEqual(expected as Release)
        }
      }
    }
  })
})
