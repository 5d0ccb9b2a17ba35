import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { ApiError } from "../../src/http/api-error.ts"
import { readValue } from "../../src/http/parameter-value.ts"
import { canonicalQuery, readParameters } from "../../src/http/parameters.ts"

const schemas = {
  page: Type.Integer({ minimum: 1, default: 1 }),
  active: Type.Boolean({ default: true }),
  from: Type.String({ format: "date" }),
  search: Type.String(),
}

const faultsOf = (query: string) => {
  try {
    readParameters(query, schemas)
  } catch (error) {
    if (error instanceof ApiError) return error.options.details?.parameters
    throw error
  }
  return "none"
}

test("values have their types, and defaults hold where nothing is given", () => {
  expect(readParameters("", schemas)).toEqual({
    values: { page: 1, active: true },
    given: [],
    apart: "",
  })
  expect(readParameters("search=a+b&page=2&active=false&from=2024-02-29", schemas)).toEqual({
    values: { search: "a b", page: 2, active: false, from: "2024-02-29" },
    given: [
      ["search", "a b"],
      ["page", "2"],
      ["active", "false"],
      ["from", "2024-02-29"],
    ],
    apart: "",
  })
})

test("api_key and _ are no parameters of the query that is asked", () => {
  const { given, values, apart } = readParameters("api_key=x&page=1&_=5", schemas)
  expect(apart).toBe("5")
  expect(given).toEqual([["page", "1"]])
  expect(values).not.toHaveProperty("api_key")
  expect(values).not.toHaveProperty("_")
})

test("every fault is told once, with the checks that concern several parameters", () => {
  expect(faultsOf("page=0&search=&from=x&nope=1&page=2")).toEqual([
    { parameter: "page", message: "Must be given once" },
    { parameter: "nope", message: "Is not known here", allowed: Object.keys(schemas) },
    { parameter: "page", message: `Must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}` },
    { parameter: "from", message: "Must be a date that exists, as YYYY-MM-DD" },
    { parameter: "search", message: "Must not be empty" },
  ])
  const check = () => [{ parameter: "from", message: "together" }]
  expect(() => readParameters("page=1", schemas, check)).toThrow(ApiError)
})

test("names that objects inherit are unknown like any other", () => {
  for (const name of ["__proto__", "constructor", "toString"]) {
    expect(faultsOf(`${name}=1`)).toMatchObject([{ parameter: name }])
  }
})

test("one canonical text for all queries that ask the same", () => {
  const canonical = (query: string) => canonicalQuery(readParameters(query, schemas))
  expect(canonical("")).toBe("active=true&page=1")
  expect(canonical("page=1&active=true&api_key=x&_=1")).toBe("active=true&page=1")
  expect(canonical("search=%61%26&page=2")).toBe("active=true&page=2&search=a%26")
  expect(canonical("page=2&search=a%2526")).not.toBe(canonical("page=2&search=a%26"))
})

test("leap days and the ends of the calendar are read as they are", () => {
  const read = (text: string) => "value" in readValue(Type.String({ format: "date" }), text)
  for (const day of ["0001-01-01", "9999-12-31", "2000-02-29", "2024-02-29", "1582-10-10"]) {
    expect([day, read(day)]).toEqual([day, true])
  }
  for (const day of ["1900-02-29", "2023-02-29", "0000-01-01", "2024-02-30", "2024-04-31"]) {
    expect([day, read(day)]).toEqual([day, false])
  }
})
