/** Queries that ask for the same have one canonical form, and no others share it. */
import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { canonicalQuery, queryText } from "../../src/http/canonical-query.ts"
import { readParameters } from "../../src/http/parameters.ts"

const schemas = {
  page: Type.Integer({ minimum: 1, default: 1 }),
  active: Type.Boolean({ default: true }),
  search: Type.Optional(Type.String()),
}

const canonical = (query: string, leftOut?: string[]) =>
  queryText(canonicalQuery(readParameters(query, schemas), schemas), leftOut)

test("defaults, order, escapes and what is ignored make no difference", () => {
  for (const query of ["", "page=1&active=true", "active=true&api_key=x&_=1"]) {
    expect(canonical(query)).toBe("")
  }
  expect(canonical("search=%61%26&page=2")).toBe("page=2&search=a%26")
  expect(canonical("page=2&search=a%26")).toBe("page=2&search=a%26")
})

test("values that differ stay apart", () => {
  expect(canonical("search=a%2526")).not.toBe(canonical("search=a%26"))
  expect(canonical("active=false")).toBe("active=false")
})

test("parameters can be left out", () => {
  expect(canonical("search=a&page=2&active=false", ["page", "search"])).toBe("active=false")
})
