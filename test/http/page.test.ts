/**
 * Pages are computed in exact integers, and name their neighbours in a `Link` header (RFC 8288).
 */
import { expect, test } from "bun:test"
import { linkHeader, pageMeta } from "../../src/http/page.ts"

const links = (page: number, total: number, given: [string, string][] = []) =>
  linkHeader("/c", given, pageMeta(total, page, 10))

test("A page link repeats the caller's other parameters in their order, escaped", () => {
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
