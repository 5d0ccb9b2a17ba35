/** Whole responses are cached within their budget, those that are requested again before all others. */
import { expect, test } from "bun:test"
import { codedBody } from "../../src/http/content-coding.ts"
import { createCachedResponses } from "../../src/responses/cached-responses.ts"
import { contentOf } from "../../src/responses/represent.ts"

const response = (text: string) => contentOf({ ETag: 'W/"1-x"' }, "json", {}, codedBody(text))
const kilobyte = "x".repeat(1_000)

test("Reading a whole list evicts no response in frequent use", () => {
  const { get, share } = createCachedResponses({ responses: 100_000 })
  for (const query of ["a", "b", "c"]) {
    share(query, () => response(kilobyte))
    get(query)
  }
  for (let page = 1; page <= 1_000; page++) share(`page ${page}`, () => response(kilobyte))
  expect(["a", "b", "c"].map((query) => get(query) !== undefined)).toEqual([true, true, true])
  expect([get("page 1"), get("page 1000") !== undefined]).toEqual([undefined, true])
})
