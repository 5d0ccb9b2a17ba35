/** Whole answers are cached within their budget, those that are asked for again before all others. */
import { expect, test } from "bun:test"
import { createCachedAnswers } from "../../src/answers/cached-answers.ts"
import { contentOf } from "../../src/answers/represent.ts"
import { codedBody } from "../../src/http/content-coding.ts"

const release = { id: 1, publishedAt: 1_000, identity: "a" }
const answer = (text: string) => contentOf({ ETag: 'W/"1-x"' }, "json", {}, codedBody(text))
const kilobyte = "x".repeat(1_000)

test("a client that reads a whole list drives out no answer that others ask for again", () => {
  const { get, share } = createCachedAnswers({ answers: 100_000 })
  for (const query of ["a", "b", "c"]) {
    share(release, query, () => answer(kilobyte))
    get(release, query)
  }
  for (let page = 1; page <= 1_000; page++) share(release, `page ${page}`, () => answer(kilobyte))
  expect(["a", "b", "c"].map((query) => get(release, query) !== undefined)).toEqual([
    true,
    true,
    true,
  ])
  expect([get(release, "page 1"), get(release, "page 1000") !== undefined]).toEqual([
    undefined,
    true,
  ])
})

test("the budget holds, whatever is cached and asked for again", () => {
  const { get, share, readings } = createCachedAnswers({ answers: 100_000 })
  for (let query = 0; query < 1_000; query++) {
    share(release, String(query), () => answer(kilobyte))
    if (query % 2 === 0) get(release, String(query))
    expect(readings().bytes).toBeLessThanOrEqual(100_000)
  }
  expect(readings().bytes).toBeGreaterThan(80_000)
})
