/** The comparison with recorded responses and descriptions finds what breaks programs, and allows what does not. */
import { expect, test } from "bun:test"
import { differences } from "./compatible.ts"
import type { Exchange } from "./exchange.ts"
import { losses } from "./gains.ts"

const response = (body: string, headers: Record<string, string> = {}, status = 200): Exchange => ({
  request: "GET /api/v1/companies",
  sent: {},
  status,
  headers: { "content-type": "application/json", ...headers },
  body,
})

const meta = `"meta":{"total":1}`
const json = `{"data":[{"a":1,"b":2}],${meta}}`
const csv = { "content-type": "text/csv; charset=utf-8; header=present" }
const error = (message: string, allowed: string) =>
  `{"error":{"code":"X","message":"${message}","details":{"parameters":[{"message":"${message}","allowed":[${allowed}]}]}}}`

test.each([
  ["a field at the end", json, `{"data":[{"a":1,"b":2,"c":3}],${meta}}`, {}],
  ["a column at the end", 'a,b␍\n"1,",2␍\n', 'a,b,c␍\n"1,",2,3␍\n', csv],
  ["other words of a message", error("old", ""), error("new", ""), {}],
  ["a further valid value", error("old", '"a"'), error("old", '"b","a"'), {}],
])("%s is allowed", (_, was, is, headers) => {
  expect(differences(response(was, headers), response(is, { ...headers, new: "1" }))).toEqual([])
})

test.each([
  ["a lost field", `{"data":[{"b":2}],${meta}}`],
  ["a renamed field", `{"data":[{"a":1,"c":2}],${meta}}`],
  ["a field before others", `{"data":[{"c":1,"a":1,"b":2}],${meta}}`],
  ["another value", `{"data":[{"a":1,"b":3}],${meta}}`],
  ["a further record", `{"data":[{"a":1,"b":2},{"a":1,"b":2}],${meta}}`],
  ["a further name in meta", `{"data":[{"a":1,"b":2}],"meta":{"total":1,"further":1}}`],
  ["a further part of the envelope", `{"data":[{"a":1,"b":2}],${meta},"links":{}}`],
])("%s is found", (_, is) => {
  expect(differences(response(json), response(is))).toHaveLength(1)
})

test("A lost and a changed header, another status and another order of rows are found", () => {
  const was = response("a␍\n1␍\n2␍\n", { ...csv, link: "</1>" })
  for (const is of [
    response(was.body, csv),
    response(was.body, { ...csv, link: "</2>" }),
    response(was.body, was.headers, 404),
    response("a␍\n2␍\n1␍\n", was.headers),
  ]) {
    expect(differences(was, is)).toHaveLength(1)
  }
})

test("A description may gain values, fields and optional parameters", () => {
  const parameter = { name: "a", schema: { type: "string", description: "old" } }
  const was = { parameters: [parameter], schemas: { A: { properties: { b: { enum: ["x"] } } } } }
  const is = {
    parameters: [
      { name: "c", schema: { type: "string" } },
      { name: "a", schema: { type: "string", description: "new" } },
    ],
    schemas: { A: { properties: { required: {}, b: { enum: ["y", "x"] } } }, B: {} },
  }
  expect(losses(was, is)).toEqual([])
  expect(losses(is, was)).toEqual([
    ".parameters[c] is missing",
    ".schemas.A.properties.required is missing",
    '.schemas.A.properties.b.enum: "y" is missing',
    ".schemas.B is missing",
  ])
})

test("A description may not gain constraints, other types and required parameters", () => {
  const was = { parameters: [{ name: "a", schema: { type: ["string"] } }] }
  const is = {
    parameters: [
      { name: "a", schema: { type: ["string", "null"], maxLength: 3 } },
      { name: "b", required: true },
    ],
  }
  expect(losses(was, is)).toEqual([
    '.parameters[a].schema.type is now ["string","null"]',
    ".parameters[a].schema.maxLength is a new constraint",
    ".parameters[b] is required",
  ])
})
