/**
 * Reads the JSON forms: one document of many records (a GeoJSON FeatureCollection, the response of an
 * ArcGIS service, or a plain array), and NDJSON, one object on each line. Documents are large because
 * of their geometry: the reader splits the streaming text into records and parses each alone, so that memory
 * depends on the largest record and not on the file.
 */

import { isObject, parsedJson } from "../../../system/text/parsed-json.ts"
import { excerpt } from "../../../system/text/printable-text.ts"
import type { RawRecord } from "../../sources/source.ts"
import { damaged } from "../load-error.ts"
import { matchHeader, rowReader } from "./named-rows.ts"
import type { FileReading, Row } from "./row.ts"
import { checkLateSystem, type ShapeOf, shapeReader, systemOfDocument } from "./shapes.ts"
import { splitJson } from "./split-json.ts"
import { linesOf } from "./text.ts"

export async function* readDocument(
  text: AsyncIterable<string>,
  reading: FileReading,
): AsyncGenerator<Row> {
  const { refuse } = reading
  const rowOf = rowReader(reading)
  let record = 0
  let head: RawRecord = {}
  let unstated: unknown
  const parts = splitJson(text, refuse, (before) => {
    head = before
  })
  const shapeOf = shapeReader(reading, (geometry) => {
    if (head.crs === undefined && head.spatialReference === undefined) unstated = geometry
    return systemOfDocument(head, refuse)
  })
  // Not `for await`, which drops the return value of the parts: the document without its records.
  let next = await parts.next()
  for (; !next.done; next = await parts.next()) {
    const { properties, feature } = readFeature(next.value)
    if (++record === 1) matchHeader(reading, Object.keys(properties ?? refuse(notRead(next.value))))
    yield properties
      ? withShape(rowOf(properties, record), feature, shapeOf)
      : invalidRecord(next.value, record)
  }
  const envelope = next.value
  if (record === 0) {
    const error = JSON.stringify(envelope.error)?.slice(0, 100)
    refuse(`it has no records${error === undefined ? "" : `, but an error: ${error}`}`)
  }
  if (unstated !== undefined) checkLateSystem(envelope, unstated, reading)
  if (isIncomplete(envelope, record)) reading.figures.incomplete = true
}

const withShape = (row: Row, feature: RawRecord | undefined, shapeOf: ShapeOf): Row =>
  row.error === undefined ? { ...row, shape: shapeOf(feature?.geometry, feature) } : row

/** Without a first record, the names of its columns are unknown. */
const notRead = (json: string): string =>
  `its first record is not ${parsedJson(json) === undefined ? "JSON" : "an object with properties"}: "${excerpt(json.trim(), 60)}"`

/** Truncated: with geometry, the file of rejected rows would be as large as the register. */
const invalidRecord = (json: string, line: number): Row => ({
  line,
  raw: json.slice(0, 500),
  error: "is not a JSON object with properties",
})

/** Servers limit the number of features in a response, and report it in the envelope. */
function isIncomplete(envelope: RawRecord, records: number): boolean {
  const { exceededTransferLimit, numberMatched, properties } = envelope
  return (
    isTrue(exceededTransferLimit) ||
    (isObject(properties) && isTrue(properties.exceededTransferLimit)) ||
    // Without a total it is absent or "unknown".
    Number(numberMatched) > records
  )
}

/** Some servers write a boolean as a text or a number. */
const isTrue = (value: unknown): boolean => ["true", "1"].includes(String(value).toLowerCase())

/** The names in the first record are checked like a header. */
export async function* readNdjson(
  text: AsyncIterable<string>,
  reading: FileReading,
  shapeOf: ShapeOf,
): AsyncGenerator<Row> {
  const { refuse } = reading
  const rowOf = rowReader(reading)
  let line = 0
  let records = 0
  for await (const lines of linesOf(text, refuse)) {
    for (const content of lines) {
      line++
      if (content.trim() === "") continue
      const { properties: object, feature } = readFeature(content)
      if (++records === 1) {
        if (!object) refuse("it looks like JSON, but its first line is not a complete record")
        matchHeader(reading, Object.keys(object ?? {}))
      }
      if (!object && !content.endsWith("\n"))
        refuse(damaged(`it is truncated: line ${line}, the last, is not a complete record`))
      yield object
        ? withShape(rowOf(object, line), feature, shapeOf)
        : { line, raw: content, error: "is not a JSON object" }
    }
  }
}

/** A feature, or an object that is none, which has no geometry but in a column. */
function readFeature(json: string): { properties?: RawRecord; feature?: RawRecord } {
  const value = parsedJson(json)
  if (!isObject(value)) return {}
  const { properties, attributes } = value
  if (isObject(attributes) && !("properties" in value))
    return { properties: attributes, feature: value }
  if (value.type !== "Feature" || !("properties" in value)) return { properties: value }
  return isObject(properties) ? { properties, feature: value } : {}
}
