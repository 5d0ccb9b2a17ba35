/**
 * Pages are computed in exact integers, and name their neighbours in a `Link` header (RFC 8288).
 */
import { expect, test } from "bun:test"
import { linkHeader, offsetOf, pageMeta } from "../../src/http/page.ts"

test.each([
  [0, 1, 50, 0],
  [1, 1, 50, 1],
  [50, 1, 50, 1],
  [51, 2, 50, 2],
  [100, 9, 1, 100],
])("%i records, page %i of %i each, are %i pages", (total, page, perPage, totalPages) => {
  expect(pageMeta(total, page, perPage)).toEqual({
    total,
    page,
    per_page: perPage,
    total_pages: totalPages,
  })
})

test("an offset is exact as far as numbers are", () => {
  expect(offsetOf(1, 100)).toBe(0)
  expect(offsetOf(3, 7)).toBe(14)
  expect(offsetOf(Number.MAX_SAFE_INTEGER, 100)).toBe(Number.MAX_SAFE_INTEGER)
})

const links = (page: number, total: number, given: [string, string][] = []) =>
  linkHeader("/c", given, pageMeta(total, page, 10))

test("the caller's other parameters are repeated, in their order, and can't break out of the link", () => {
  const given: [string, string][] = [
    ["search", 'a>; rel="x", <b'],
    ["page", "1"],
    ["per_page", "10"],
  ]
  expect(links(1, 5, given)).toBe(
    [
      '</c?search=a%3E%3B%20rel%3D%22x%22%2C%20%3Cb&per_page=10&page=1>; rel="first"',
      '</c?search=a%3E%3B%20rel%3D%22x%22%2C%20%3Cb&per_page=10&page=1>; rel="last"',
    ].join(", "),
  )
})
