/** Parameters are parsed strictly, every fault is reported, and values have the types of their schemas. */
import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { ApiError } from "../../src/http/api-error.ts"
import { readValue } from "../../src/http/parameter-value.ts"
import { cacheBuster, readParameters, typed } from "../../src/http/parameters.ts"

const schemas = {
  page: Type.Integer({ minimum: 1, default: 1 }),
  active: Type.Boolean({ default: true }),
  from: Type.Optional(Type.String({ format: "date" })),
  search: Type.Optional(Type.String()),
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

test("values have their types, and defaults apply to what is absent", () => {
  expect(readParameters("", schemas)).toEqual({ page: 1, active: true })
  expect(readParameters("search=a+b&page=2&active=false&from=2024-02-29", schemas)).toEqual({
    search: "a b",
    page: 2,
    active: false,
    from: "2024-02-29",
  })
})

test("api_key and _ are no values, and _ can be asked for by itself", () => {
  const query = "api_key=x&page=1&_=5"
  expect(readParameters(query, schemas)).toEqual({ page: 1, active: true })
  expect([cacheBuster(query), cacheBuster("page=1")]).toEqual(["5", ""])
})

test("values get the types of schemas that they have, and of no others", () => {
  const values = { page: 2, search: "a" }
  const { page }: { page: number } = typed(values, { page: schemas.page })
  expect(page).toBe(2)
  expect(() => typed(values, { search: schemas.page })).toThrow()
  expect(() => typed({}, { page: schemas.page })).toThrow()
  expect(typed({}, { search: schemas.search })).toEqual({})
})

test("every fault is listed once, with the checks that concern several parameters", () => {
  expect(faultsOf("page=0&search=&from=x&nope=1&page=2")).toEqual([
    { parameter: "page", message: "Must be given once" },
    { parameter: "nope", message: "Unknown parameter", allowed: Object.keys(schemas) },
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

test("leap days and the ends of the calendar are read as they are", () => {
  const read = (text: string) => "value" in readValue(Type.String({ format: "date" }), text)
  for (const day of ["0001-01-01", "9999-12-31", "2000-02-29", "2024-02-29", "1582-10-10"]) {
    expect([day, read(day)]).toEqual([day, true])
  }
  for (const day of ["1900-02-29", "2023-02-29", "0000-01-01", "2024-02-30", "2024-04-31"]) {
    expect([day, read(day)]).toEqual([day, false])
  }
})
