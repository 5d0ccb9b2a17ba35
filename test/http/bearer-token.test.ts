/**
 * The scheme of `Authorization` is case-insensitive (RFC 9110, section 11.1), and a malformed
 * header contains no token (RFC 6750, section 2.1).
 */
import { expect, test } from "bun:test"
import { readBearer } from "../../src/http/bearer-token.ts"

test.each([
  ["no header", null],
  ["an empty header", ""],
  ["a header of blanks", " \t "],
])("%s is no credential", (_, header) => {
  expect(readBearer(header)).toEqual({ kind: "none" })
})

test.each([
  ["the usual form", "Bearer abc", "abc"],
  ["the scheme in lower case", "bearer abc", "abc"],
  ["the scheme in capitals", "BEARER abc", "abc"],
  ["several spaces between", "Bearer    abc", "abc"],
  ["a tab between", "Bearer\tabc", "abc"],
  ["blanks around", " \t Bearer abc \t ", "abc"],
  ["every character of the token syntax", "Bearer aZ09-._~+/==", "aZ09-._~+/=="],
])("reads the token from %s", (_, header, token) => {
  expect(readBearer(header)).toEqual({ kind: "bearer", token })
})

test.each([
  ["two words", "Bearer one two", "one two"],
  ["two headers joined", "Bearer one, Bearer two", "one, Bearer two"],
  ["quotes", 'Bearer "abc"', '"abc"'],
  ["a no-break space, which HTTP does not call a blank", "Bearer \u00a0abc", "\u00a0abc"],
])("hands on %s as a token, to be refused as a wrong one", (_, header, token) => {
  expect(readBearer(header)).toEqual({ kind: "bearer", token })
})

test.each([
  ["Basic", "Basic dXNlcjpwYXNz"],
  ["Digest", 'Digest username="x"'],
  ["a bare token without a scheme", "mds_abc"],
  ["the scheme's name alone", "Bearer"],
  ["the scheme's name and blanks", "Bearer   "],
  ["a scheme that begins like Bearer", "BearerToken abc"],
  ["a colon in place of the space", "Bearer:abc"],
])("%s was sent, but is no bearer token", (_, header) => {
  expect(readBearer(header)).toEqual({ kind: "other" })
})

test("the longest run of blanks takes no more than linear time", () => {
  const blanks = " ".repeat(1_000_000)
  const started = performance.now()
  expect(readBearer(`Bearer${blanks}a${blanks}b`)).toEqual({ kind: "bearer", token: `a${blanks}b` })
  expect(performance.now() - started).toBeLessThan(2_000)
})
