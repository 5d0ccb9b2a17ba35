/**
 * A query is decoded as WHATWG URL decodes forms, but malformed UTF-8 is reported and never
 * replaced.
 */
import { expect, test } from "bun:test"
import {
  decodeComponent,
  decodeQuery,
  encodeQuery,
  undecodable,
} from "../../../src/api/http/query-string.ts"

test.each([
  ["", []],
  ["&&", []],
  ["a=1", [["a", "1"]]],
  ["a", [["a", ""]]],
  ["a=", [["a", ""]]],
  ["=1", [["", "1"]]],
  ["a=1=2", [["a", "1=2"]]],
  [
    "a=1&a=2",
    [
      ["a", "1"],
      ["a", "2"],
    ],
  ],
  ["a+b=c+d%2Be", [["a b", "c d+e"]]],
  ["%61=%C3%A9", [["a", "é"]]],
  ["a=%ff", [["a", undecodable]]],
  ["a=%", [["a", undecodable]]],
  ["a=%ED%A0%80", [["a", undecodable]]],
  ["a=%EF%BF%BD", [["a", "\uFFFD"]]],
  ["%ff=1", [["%ff", "1"]]],
  ["a=%26%3D", [["a", "&="]]],
  ["a;b=1", [["a;b", "1"]]],
] as [string, [string, string][]][])("%j decodes to %j", (query, pairs) => {
  expect(decodeQuery(query)).toEqual(pairs)
})

test("Decoding returns the encoded text", () => {
  const pairs = [
    ["a b", "c&d=e+f%"],
    ["é", "😀\r\n\0"],
    ["", ""],
  ] as const
  expect(decodeQuery(encodeQuery(pairs))).toEqual([...pairs])
})

test("Invalid UTF-8 decodes to null, and a plus sign is unchanged", () => {
  expect(decodeComponent("a+b%20%C3%A9")).toBe("a+b é")
  for (const broken of ["%", "%f", "%zz", "%ff", "%C3%28"])
    expect(decodeComponent(broken)).toBeNull()
})
