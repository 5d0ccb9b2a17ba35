/**
 * Reads one JSON document of many records: a GeoJSON FeatureCollection, the response of an ArcGIS
 * service, or a plain array. Such registers are large because of their geometry. So the text
 * is split into its records while it streams, and each is parsed on its own and its geometry
 * dropped at once: memory depends on the largest feature, not on the file.
 */
import type { RawRecord } from "../../sources/source.ts"
import { matchHeader, rowReader } from "./named-rows.ts"
import type { Layout, RejectFile, Remarks, Row } from "./row.ts"
import { splitJson } from "./split-json.ts"

export async function* readFeatures(
  text: AsyncIterable<string>,
  layout: Layout,
  rejectFile: RejectFile,
  { note, markIncomplete }: Remarks,
): AsyncGenerator<Row> {
  const rowOf = rowReader(layout)
  let feature = 0
  const parts = splitJson(text, rejectFile)
  // Not `for await`, which drops what the parts return: the document without its records.
  let next = await parts.next()
  for (; !next.done; next = await parts.next()) {
    const properties = propertiesOf(next.value)
    if (++feature === 1) matchHeader(layout, Object.keys(properties ?? {}), rejectFile, note)
    yield properties ? rowOf(properties, feature) : invalidFeature(next.value, feature)
  }
  const envelope = next.value
  if (feature === 0) rejectFile(`it has no records${errorIn(envelope)}`)
  if (isIncomplete(envelope)) markIncomplete()
}

/**
 * The properties of a feature, or the object itself if it is not a feature; otherwise undefined.
 */
export function propertiesOf(json: string): RawRecord | undefined {
  const value = objectOf(json)
  if (!value) return undefined
  if (isObject(value.attributes) && !("properties" in value)) return value.attributes
  if (value.type !== "Feature" || !("properties" in value)) return value
  return isObject(value.properties) ? value.properties : undefined
}

function objectOf(json: string): RawRecord | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is RawRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Truncated: with geometry, the file of rejected rows would be as large as the register. */
const invalidFeature = (json: string, line: number): Row => ({
  line,
  raw: json.slice(0, 500),
  error: "is not a JSON object with properties",
})

/** Servers limit the number of features in a response, and say so in its envelope. */
function isIncomplete(envelope: RawRecord): boolean {
  const { exceededTransferLimit, numberMatched, numberReturned, properties } = envelope
  return (
    exceededTransferLimit === true ||
    (isObject(properties) && properties.exceededTransferLimit === true) ||
    (typeof numberMatched === "number" && Number(numberReturned) < numberMatched)
  )
}

function errorIn({ error }: RawRecord): string {
  return error === undefined ? "" : `, but an error: ${JSON.stringify(error).slice(0, 100)}`
}
