/** The arguments of tools. The parser of the API's parameters reads them, so their faults are the same. */
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server"
import { OptionalKind, type TProperties, Type } from "@sinclair/typebox"
import { invalidParameters } from "../http/api-error.ts"
import { type ParameterValues, readPairs } from "../http/parameters.ts"
import { changes, paging, representation } from "../responses/endpoint.ts"

/** A result has at most so many records. */
export const maxRecords = 50

/** The parameters of a list that choose its records, not their representation. */
export function recordParameters(parameters: TProperties): TProperties {
  const others = [...Object.keys({ ...representation, ...changes }), "fields", "changed"]
  const kept = Object.entries(parameters).filter(([name]) => !others.includes(name))
  const per_page = Type.Integer({ ...paging.per_page, maximum: maxRecords })
  return { ...Object.fromEntries(kept), per_page }
}

const requiredOf = (parameters: TProperties): string[] =>
  Object.keys(parameters).filter((name) => {
    const { [OptionalKind]: optional, default: value } = parameters[name] ?? {}
    return optional === undefined && value === undefined
  })

/** Describes the arguments, and leaves their check to the tool. */
export function inputSchema(parameters: TProperties): StandardSchemaWithJSON {
  const properties = Object.entries(parameters).map(([name, { format, ...schema }]) => [
    name,
    // Some clients reject a format that is not a standard one.
    format === "date" ? { format, ...schema } : schema,
  ])
  const schema = {
    type: "object",
    properties: Object.fromEntries(properties),
    required: requiredOf(parameters),
    additionalProperties: false,
  }
  const jsonSchema = { input: () => schema, output: () => schema }
  const validate = (value: unknown) => ({ value })
  return { "~standard": { version: 1, vendor: "mds", validate, jsonSchema } }
}

/** @throws ApiError INVALID_PARAMETER */
export function readArguments(given: object, parameters: TProperties): ParameterValues {
  const sent = Object.entries(given)
  const nested = sent.filter(([, value]) => typeof value === "object")
  const message = "Must be a string, number or boolean"
  if (nested.length > 0)
    throw invalidParameters(nested.map(([parameter]) => ({ parameter, message })))
  const texts = sent.map(
    ([name, value]) => [name.toWellFormed(), String(value).toWellFormed()] as const,
  )
  return readPairs(texts, parameters, [], (_, present) =>
    requiredOf(parameters)
      .filter((name) => !present.has(name))
      .map((parameter) => ({ parameter, message: `${parameter} is required` })),
  )
}
