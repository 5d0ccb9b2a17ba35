/** Whole responses are cached within their budget, those that are requested again before all others. */
import { expect, test } from "bun:test"
import { codedBody } from "../../src/http/content-coding.ts"
import { createCachedResponses } from "../../src/responses/cached-responses.ts"
import { contentOf } from "../../src/responses/represent.ts"

const release = "1 a"
const response = (text: string) => contentOf({ ETag: 'W/"1-x"' }, "json", {}, codedBody(text))
const kilobyte = "x".repeat(1_000)

test("Reading a whole list evicts no response in frequent use", () => {
  const { get, share } = createCachedResponses({ responses: 100_000 })
  for (const query of ["a", "b", "c"]) {
    share(release, query, () => response(kilobyte))
    get(release, query)
  }
  for (let page = 1; page <= 1_000; page++) share(release, `page ${page}`, () => response(kilobyte))
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
