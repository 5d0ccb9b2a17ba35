/** The shapes of records as JSON and GeoJSON, and the metadata of GeoParquet. */
import { pick, type ResourceRecord, type Value } from "../../data/resources/resource.ts"
import { type Question, shownNames } from "./question.ts"

type Records = readonly ResourceRecord[]

/** The beginning of a FeatureCollection, up to its features. RFC 7946 */
export const openCollection = (matched: number, returned: number): string =>
  `{"type":"FeatureCollection","numberMatched":${matched},"numberReturned":${returned},"features":[`

/** Writes records as JSON. Their shapes are JSON already. */
export function jsonWriter({ fieldSet }: Question) {
  if (fieldSet !== "all with shapes") return (record: ResourceRecord) => JSON.stringify(record)
  const member = ([name, value]: [string, Value]) =>
    `"${name}":${name === "geometry" ? value : JSON.stringify(value)}`
  return (record: ResourceRecord) => `{${Object.entries(record).map(member).join()}}`
}

/** Features, separated by commas. Their properties are the requested or default fields without the geometry. */
export function featuresOf(question: Question, records: Records) {
  const { key } = question.resource
  const properties = shownNames(question).filter((name) => name !== "geometry")
  return records
    .map((record) => {
      const { [key]: id = null, geometry = null } = record
      const picked = JSON.stringify(pick(record, properties))
      return `{"type":"Feature","id":${JSON.stringify(id)},"geometry":${geometry},"properties":${picked}}`
    })
    .join(",\n")
}

/** The reference systems that a file can name, beside WGS 84, which is the default of GeoParquet. */
const systemNames: Readonly<Record<string, string>> = {
  "EPSG:7844": "GDA2020",
  "EPSG:4283": "GDA94",
}

/**
 * GeoParquet 1.1: https://geoparquet.org/releases/v1.1.0/. The reference system is null, which means unknown,
 * where sources have different ones, or where the shapes of a source have changed after the release.
 */
export function geoParquetMetadata(sources: Records, release: number): string {
  const systems = sources.flatMap(({ crs, last_release }) =>
    crs === null ? [] : Number(last_release) > release ? "unknown" : String(crs),
  )
  const [system = "", ...others] = new Set(systems)
  const geometry = {
    encoding: "WKB",
    geometry_types: ["Polygon", "MultiPolygon"],
    orientation: "counterclockwise",
    crs: others.length === 0 ? projJson(system) : null,
  }
  return JSON.stringify({ version: "1.1.0", primary_column: "geometry", columns: { geometry } })
}

/** https://proj.org/en/stable/specifications/projjson.html; undefined for WGS 84, null for an unknown one. */
function projJson(system: string) {
  if (system === "EPSG:4326") return undefined
  const name = systemNames[system]
  if (name === undefined) return null
  return {
    $schema: "https://proj.org/schemas/v0.7/projjson.schema.json",
    type: "GeographicCRS",
    name,
    datum: {
      type: "GeodeticReferenceFrame",
      name,
      ellipsoid: { name: "GRS 1980", semi_major_axis: 6378137, inverse_flattening: 298.257222101 },
    },
    coordinate_system: {
      subtype: "ellipsoidal",
      axis: [
        { name: "Geodetic latitude", abbreviation: "Lat", direction: "north", unit: "degree" },
        { name: "Geodetic longitude", abbreviation: "Lon", direction: "east", unit: "degree" },
      ],
    },
    id: { authority: "EPSG", code: Number(system.slice("EPSG:".length)) },
  }
}
