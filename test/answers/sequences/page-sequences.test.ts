/**
 * All pages that one client reads of one query are of one release, until 15 minutes after the last
 * of them.
 */
import { expect, test } from "bun:test"
import { sequenceIdleMs } from "../../../src/answers/sequences/page-sequence.ts"
import { createPageSequences } from "../../../src/answers/sequences/page-sequences.ts"

const release = (id: number) => ({ id, publishedAt: id * 1000 })
const begun = (client: string, id: number, pages?: number) => ({
  client,
  release: release(id),
  pages,
})

const q = { accountId: 1, key: "q" }
const queryOf = (accountId: number, n: number) => ({ accountId, key: String(n) })

test("a later page is of the release of its page 1", async () => {
  const sequences = createPageSequences(null, 1_000_000)
  await sequences.begin(q, begun("a", 1), 0)
  for (const page of [2, 3, 3, 9]) {
    expect((await sequences.next(q, "a", page, page))?.id).toBe(1)
  }
})

test("a sequence is forgotten 15 minutes after its last page, and not before", async () => {
  const sequences = createPageSequences(null, 1_000_000)
  await sequences.begin(q, begun("a", 1), 0)
  expect((await sequences.next(q, "a", 2, sequenceIdleMs))?.id).toBe(1)
  expect((await sequences.next(q, "a", 3, 2 * sequenceIdleMs))?.id).toBe(1)
  expect(await sequences.next(q, "a", 4, 3 * sequenceIdleMs + 1)).toBeUndefined()
})

test("another query has no part in it", async () => {
  const sequences = createPageSequences(null, 1_000_000)
  await sequences.begin(q, begun("a", 1), 0)
  expect(await sequences.next({ accountId: 1, key: "p" }, "a", 2, 1)).toBeUndefined()
})

test("two sequences are told apart by the page that each expects", async () => {
  const sequences = createPageSequences(null, 1_000_000)
  await sequences.begin(q, begun("a", 1), 0)
  expect((await sequences.next(q, "a", 2, 1))?.id).toBe(1)
  await sequences.begin(q, begun("a", 2), 2)
  expect((await sequences.next(q, "a", 3, 3))?.id).toBe(1)
  expect((await sequences.next(q, "a", 2, 4))?.id).toBe(2)
  expect((await sequences.next(q, "a", 4, 5))?.id).toBe(1)
  expect((await sequences.next(q, "a", 3, 6))?.id).toBe(2)
})

test("sequences in step are told apart by who reads them", async () => {
  const sequences = createPageSequences(null, 1_000_000)
  await sequences.begin(q, begun("a", 1), 0)
  await sequences.begin(q, begun("b", 2), 1)
  for (let page = 2; page < 50; page++) {
    expect((await sequences.next(q, "b", page, page))?.id).toBe(2)
    expect((await sequences.next(q, "a", page, page))?.id).toBe(1)
  }
})

test("sequences that begin and go on at the same moment are all known after it", async () => {
  const sequences = createPageSequences(null, 1_000_000)
  await Promise.all([1, 2, 3].map((id) => sequences.begin(q, begun(`client ${id}`, id), 0)))
  const pages = await Promise.all(
    [3, 1, 2].map(async (id) => (await sequences.next(q, `client ${id}`, 2, 1))?.id),
  )
  expect(pages).toEqual([3, 1, 2])
})

test("the oldest release that is read is that of a sequence or an export under way", async () => {
  const sequences = createPageSequences(null, 1_000_000)
  expect(sequences.oldestPinned(0)).toBeUndefined()
  await sequences.begin(q, begun("a", 5), 0)
  const unpin = sequences.pin(release(3))
  expect(sequences.oldestPinned(1)).toBe(3)
  unpin()
  expect(sequences.oldestPinned(1)).toBe(5)
  expect(sequences.oldestPinned(sequenceIdleMs + 1)).toBeUndefined()
})

test("a client that begins again is on the new release from page 1 to the last", async () => {
  for (const stoppedAfter of [1, 2, 3, 4, 5]) {
    const sequences = createPageSequences(null, 1_000_000)
    let nowMs = 0
    const read = async (page: number) => (await sequences.next(q, "a", page, ++nowMs))?.id
    await sequences.begin(q, begun("a", 1, 5), ++nowMs)
    for (let page = 2; page <= stoppedAfter; page++) expect(await read(page)).toBe(1)
    await sequences.begin(q, begun("a", 2, 5), ++nowMs)
    for (const page of [2, 2, 3, 2, 3, 4, 4, 5, 5, 4]) expect(await read(page)).toBe(2)
  }
})

test("page 1 asked for again and again costs a sequence under way nothing", async () => {
  const sequences = createPageSequences(null, 1_000_000)
  await sequences.begin(q, begun("a", 1, 9), 0)
  expect((await sequences.next(q, "a", 2, 1))?.id).toBe(1)
  for (let poll = 2; poll < 200; poll++) await sequences.begin(q, begun("a", poll, 9), poll)
  for (const page of [3, 3, 4, 5]) expect((await sequences.next(q, "a", page, 200))?.id).toBe(1)
  expect((await sequences.next(q, "a", 2, 201))?.id).toBe(199)
})

test("a sequence that is at its end takes no page of the next one", async () => {
  const sequences = createPageSequences(null, 1_000_000)
  await sequences.begin(q, begun("a", 1, 3), 0)
  for (const page of [2, 3]) await sequences.next(q, "a", page, page)
  expect((await sequences.next(q, "a", 3, 4))?.id).toBe(1)
  await sequences.begin(q, begun("a", 2, 3), 5)
  for (const page of [3, 2]) expect((await sequences.next(q, "a", page, 6))?.id).toBe(2)
})

test("a sequence whose page 1 was answered 304 keeps its retries though another client has begun", async () => {
  const sequences = createPageSequences(null, 1_000_000)
  await sequences.begin(q, begun("x", 1), 0)
  for (const page of [2, 3, 4, 5]) await sequences.next(q, "x", page, page)
  await sequences.begin(q, begun("y", 2), 6)
  await sequences.next(q, "y", 2, 7)
  for (const page of [3, 2, 4]) expect((await sequences.next(q, "x", page, 8))?.id).toBe(1)
})

test("a client whose address changes goes on with its sequence, and with its newest", async () => {
  const sequences = createPageSequences(null, 1_000_000)
  await sequences.begin(q, begun("a", 1, 5), 0)
  for (const [client, page] of [
    ["b", 2],
    ["c", 3],
    ["c", 3],
    ["a", 3],
    ["b", 4],
    ["a", 5],
  ] as const) {
    expect((await sequences.next(q, client, page, page))?.id).toBe(1)
  }
  await sequences.begin(q, begun("b", 2, 5), 10)
  for (const [client, page] of [
    ["a", 2],
    ["c", 2],
    ["a", 3],
    ["a", 4],
    ["d", 4],
    ["c", 5],
  ] as const) {
    expect((await sequences.next(q, client, page, page))?.id).toBe(2)
  }
})

test("a page 1 that was given up and ends after its retry does not go before it", async () => {
  const sequences = createPageSequences(null, 1_000_000)
  await sequences.begin(q, begun("a", 2), 10)
  await sequences.begin(q, begun("a", 1), 5)
  expect((await sequences.next(q, "a", 2, 20))?.id).toBe(2)
})

test("a sequence of a query that had more clients than are kept goes on while it is read", async () => {
  const sequences = createPageSequences(null, 1_000_000)
  await sequences.begin(q, begun("a", 1), 0)
  for (let page = 2; page < 300; page++) {
    expect((await sequences.next(q, "a", page, page))?.id).toBe(1)
    await sequences.begin(q, begun(`client ${page}`, 2), page)
  }
})

test("an account that begins very many sequences drives out its own alone", async () => {
  const sequences = createPageSequences(null, 1_000_000)
  await sequences.begin(q, begun("a", 1), 0)
  for (let query = 0; query < 20_000; query++) {
    await sequences.begin(queryOf(2, query), begun("b", 2), query)
    if (query % 5_000 === 0) await sequences.begin(queryOf(3, query), begun("c", 3), query)
  }
  expect((await sequences.next(q, "a", 2, 20_000))?.id).toBe(1)
  for (const query of [0, 5_000, 10_000, 15_000]) {
    expect((await sequences.next(queryOf(3, query), "c", 2, 20_000))?.id).toBe(3)
  }
  expect((await sequences.next(queryOf(2, 19_999), "b", 2, 20_000))?.id).toBe(2)
  expect(await sequences.next(queryOf(2, 0), "b", 2, 20_000)).toBeUndefined()
})

test("the oldest release that is read is known however many are", () => {
  const sequences = createPageSequences(null, 1_000_000)
  for (let id = 1_000_000; id >= 7; id--) sequences.pin(release(id))
  expect(sequences.oldestPinned(0)).toBe(7)
})

test("an answer from before the first release keeps none", async () => {
  const sequences = createPageSequences(null, 1_000_000)
  await sequences.begin(q, begun("a", 0), 0)
  expect(sequences.oldestPinned(0)).toBeUndefined()
})
