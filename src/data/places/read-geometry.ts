/** Reads a row's geometry in the notations of JSON and text: GeoJSON, ArcGIS JSON and well-known text. */
import { parsedJson } from "../../system/text/parsed-json.ts"
import {
  leftOut,
  otherType,
  readPolygons,
  readUnorderedRings,
  type ShapeRead,
  type ToDegrees,
} from "./read-rings.ts"

/** @param geometry a GeoJSON geometry, an ArcGIS geometry, or either as text, or well-known text */
export function readGeometry(geometry: unknown, toDegrees: ToDegrees): ShapeRead {
  if (typeof geometry === "string") {
    const parsed = parsedGeometry(geometry)
    return typeof parsed === "string" ? readWkt(parsed, toDegrees) : readGeometry(parsed, toDegrees)
  }
  if (typeof geometry !== "object" || geometry === null) return notGeometry
  if ("rings" in geometry) return readUnorderedRings(geometry.rings, toDegrees)
  if ("curveRings" in geometry) return leftOut("a shape with curves")
  return readGeoJson(geometry, toDegrees)
}

const notGeometry = leftOut("a geometry that is neither GeoJSON nor well-known text")

/** The value of JSON, undefined for faulty JSON, or well-known text. */
export function parsedGeometry(text: string): unknown {
  const trimmed = text.trim()
  return trimmed.startsWith("{") ? parsedJson(trimmed) : trimmed
}

function readGeoJson(geometry: object, toDegrees: ToDegrees): ShapeRead {
  const { type, coordinates, geometries } = Object(geometry)
  if (type === "Polygon") return readPolygons([coordinates], toDegrees)
  if (type === "MultiPolygon") return readPolygons(coordinates, toDegrees)
  return type === "GeometryCollection" && Array.isArray(geometries)
    ? readCollection(geometries, toDegrees)
    : otherType
}

/** Takes the polygons. Other members, nested collections too, are left out together. */
function readCollection(geometries: unknown[], toDegrees: ToDegrees): ShapeRead {
  const polygons = geometries.flatMap((member) => {
    const { type, coordinates } = Object(member)
    return type === "Polygon" ? [[coordinates]] : type === "MultiPolygon" ? [coordinates] : []
  })
  if (polygons.length === 0) return otherType
  const read = readPolygons(polygons.flat(), toDegrees)
  const isWhole = polygons.length === geometries.length
  return isWhole ? read : { ...read, leftOut: [...read.leftOut, ...otherType.leftOut] }
}

/** Its group is a number of JSON. */
const number = String.raw`\+?(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\.?`
/** A match begins after a separator: a search from each digit would take the square of the time. */
const positions = new RegExp(String.raw`(?<=[\s(,])${number}\s+${number}(?:\s+${number}){0,2}`, "g")

/** ISO 19125-1. Heights and measures are ignored. */
function readWkt(text: string, toDegrees: ToDegrees): ShapeRead {
  const [, members] = /^GEOMETRYCOLLECTION\s*(?:ZM?\s*|M\s*)?\((.*)\)$/is.exec(text) ?? []
  if (members === undefined) {
    const geometry = geoJsonOf(text)
    return geometry ? readGeoJson(geometry, toDegrees) : notGeometry
  }
  const geometries = members.split(/,(?=\s*[A-Z])/i).map((member) => geoJsonOf(member.trim()))
  return geometries.includes(undefined) ? notGeometry : readCollection(geometries, toDegrees)
}

const polygonTypes = ["Polygon", "MultiPolygon"]

/** @param text a polygon, or another geometry, of which only the type is read */
function geoJsonOf(text: string): object | undefined {
  const [, word, body = ""] = /^([A-Z]+?)\s*(?:ZM?\s*|M\s*)?(EMPTY$|\(.*\)$)/is.exec(text) ?? []
  if (word === undefined) return undefined
  const type = polygonTypes.find((name) => name.toUpperCase() === word.toUpperCase())
  if (type === undefined) return { type: word }
  if (/^EMPTY$/i.test(body)) return { type, coordinates: [] }
  if (/[^-+\d.eE\s(),]/.test(body)) return undefined
  // The same text as JSON. A function that replaces each position would take three times as long.
  const lists = body.replace(positions, "[$1,$2]").replaceAll("(", "[").replaceAll(")", "]")
  const coordinates = parsedJson(lists)
  return coordinates === undefined ? undefined : { type, coordinates }
}
