/**
 * One JSON document that holds many records: a GeoJSON FeatureCollection, the answer of an ArcGIS
 * service, or a plain array. Registers of this form are large because of their geometry. So the text
 * is only cut into its records while it streams, and each is parsed on its own and its geometry
 * dropped at once: memory depends on the largest feature and not on the file.
 */
import type { RawRecord } from "../../sources/source.ts"
import { matchHeader, rowReader } from "./named-rows.ts"
import type { Layout, RejectFile, Row } from "./row.ts"
import { splitJson } from "./split-json.ts"

const batchRows = 1000

export async function* readFeatures(
  text: AsyncIterable<string>,
  layout: Layout,
  rejectFile: RejectFile,
  warn: (what: string) => void,
): AsyncGenerator<Row[]> {
  const rowOf = rowReader(layout)
  let feature = 0
  let batch: Row[] = []
  const envelope = yield* (async function* () {
    const parts = splitJson(text, rejectFile)
    for (let next = await parts.next(); ; next = await parts.next()) {
      if (next.done) return next.value
      const properties = propertiesOf(next.value)
      if (++feature === 1) matchHeader(layout, Object.keys(properties ?? {}), rejectFile)
      batch.push(properties ? rowOf(properties, feature) : invalidFeature(next.value, feature))
      if (batch.length < batchRows) continue
      yield batch
      batch = []
    }
  })()
  if (feature === 0) rejectFile(`it has no records${errorIn(envelope)}`)
  if (isIncomplete(envelope)) warn("the service that produced this file says that it is incomplete")
  if (batch.length > 0) yield batch
}

/** The properties of a feature, an object that is no feature itself, undefined for anything else. */
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

/** Geometry would make the file of rejected rows as large as the register. */
const invalidFeature = (json: string, line: number): Row => ({
  line,
  raw: json.slice(0, 500),
  error: "is not a JSON object with properties",
})

/** Servers give at most so many features at once, and say so beside them. */
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
