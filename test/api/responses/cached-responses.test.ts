/** Whole responses are cached within their budget, those that were requested last. */
import { expect, test } from "bun:test"
import { codedBody } from "../../../src/api/http/content-coding.ts"
import { createCachedResponses } from "../../../src/api/responses/cached-responses.ts"
import { contentOf } from "../../../src/api/responses/represent.ts"

const response = (text: string) => contentOf({ ETag: 'W/"1-x"' }, "json", {}, codedBody(text))
const kilobyte = "x".repeat(1_000)

test("Reading a whole list evicts no response that is requested meanwhile", () => {
  const { get, share } = createCachedResponses({ responses: 100_000 })
  const queries = ["a", "b", "c"]
  for (const query of queries) share(query, () => response(kilobyte))
  for (let page = 1; page <= 1_000; page++) {
    share(`page ${page}`, () => response(kilobyte))
    if (page % 10 === 0)
      expect(queries.map((query) => get(query) !== undefined)).not.toContain(false)
  }
  expect([get("page 1"), get("page 1000") !== undefined]).toEqual([undefined, true])
})
