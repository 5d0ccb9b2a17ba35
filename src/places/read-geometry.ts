/** Reads a row's geometry in the notations of JSON and text: GeoJSON, ArcGIS JSON and well-known text. */
import {
  leftOut,
  noShape,
  readLoose,
  readNested,
  type ShapeRead,
  type ToDegrees,
} from "./read-rings.ts"

/**
 * @param geometry a GeoJSON geometry, an ArcGIS geometry, or either as text, or well-known text; null or blank
 * for none
 */
export function readGeometry(geometry: unknown, toDegrees: ToDegrees): ShapeRead {
  if (typeof geometry === "string") return readText(geometry.trim(), toDegrees)
  if (geometry === null || geometry === undefined) return noShape
  if (typeof geometry !== "object") return notGeometry
  if ("rings" in geometry) return readLoose(geometry.rings, toDegrees)
  if ("curveRings" in geometry) return leftOut("a shape with curves")
  return readGeoJson(geometry, toDegrees)
}

const notGeometry = leftOut("a geometry that is neither GeoJSON nor well-known text")

function readText(text: string, toDegrees: ToDegrees): ShapeRead {
  if (text === "") return noShape
  return text.startsWith("{") ? readGeometry(parsed(text), toDegrees) : readWkt(text, toDegrees)
}

/** False for text that is not JSON, which is no geometry either. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return false
  }
}

function readGeoJson(geometry: object, toDegrees: ToDegrees): ShapeRead {
  const { geometries = [geometry] } = Object(geometry)
  if (!Array.isArray(geometries)) return notGeometry
  const polygons: unknown[] = geometries.flatMap((member) => {
    const { type, coordinates } = Object(member)
    return type === "Polygon" ? [coordinates] : type === "MultiPolygon" ? coordinates : []
  })
  const others = geometries
    .filter((member) => !/^(Multi)?Polygon$/.test(Object(member).type))
    .map(() => otherType)
  if (others.length > 0 && others.length === geometries.length)
    return { shape: null, leftOut: others }
  const { shape, leftOut } = readNested(polygons, toDegrees)
  return { shape, leftOut: [...others, ...leftOut] }
}

const otherType = "a geometry that is no polygon"

const number = String.raw`[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?`
const position = new RegExp(String.raw`^\s*(${number})\s+(${number})(?:\s+${number}){0,2}\s*$`)

const notJson = "!"

/** ISO 19125-1. Heights and measures are ignored. */
function readWkt(text: string, toDegrees: ToDegrees): ShapeRead {
  const [, type, body = ""] = /^([A-Z]+?)\s*(?:ZM?\s*|M\s*)?(EMPTY$|\(.*\)$)/is.exec(text) ?? []
  if (type === undefined) return notGeometry
  const isMulti = /^MULTIPOLYGON$/i.test(type)
  if (!isMulti && !/^POLYGON$/i.test(type)) return leftOut(otherType)
  if (/^EMPTY$/i.test(body)) return readNested([], toDegrees)
  // The same text as JSON.
  const lists = body
    .replace(/[^(),]+/g, (text) => {
      const [, x, y] = position.exec(text) ?? []
      if (y === undefined) return text.trim() === "" ? "" : notJson
      return `[${Number(x)},${Number(y)}]`
    })
    .replaceAll("(", "[")
    .replaceAll(")", "]")
  const coordinates = parsed(lists)
  if (coordinates === false) return notGeometry
  return readNested(isMulti ? coordinates : [coordinates], toDegrees)
}
