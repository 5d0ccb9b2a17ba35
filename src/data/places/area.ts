/** The areas of the parameters `bbox` and `near`, as PostgreSQL compares them with shapes. */
import { arrayLiteral } from "../../system/text/array-literal.ts"
import { type Bounds, boundsOf, isIn, type Point, placesWithin, type Ring } from "./shape.ts"

/** Values of PostgreSQL's types, in microdegrees. */
export interface Area {
  /** The box around it. */
  bounds: string
  /** A box inside: shapes in it match without a comparison. */
  innerBox: string
  /** Its polygons, which need not be convex. */
  outlines: string
  /** Their holes. */
  holes: string
}

export const areaOfRings = (
  outlines: readonly Ring[],
  holes: readonly Ring[],
  innerBox: string,
): Area => ({
  bounds: boxText(boundsOf(outlines)),
  innerBox,
  outlines: arrayLiteral(outlines.map(polygonText)),
  holes: arrayLiteral(holes.map(polygonText)),
})

const polygonText = (ring: Ring): string => `(${ring.map(([x, y]) => `(${x},${y})`).join()})`

/** An area without a meaning where its text has a fault, which is for the client. */
export interface ParsedArea extends Area {
  fault: string | null
}

/** One spelling of equal lists of decimal numbers: without zeros at the end. An id has one spelling. */
export const canonicalNumbers = (text: string): string =>
  text
    .split(",")
    .map((each) => (isDecimal(each) ? each.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "") : each))
    .join()

/** @param text `west,south,east,north` in degrees */
export function parseBox(text: string): ParsedArea {
  const degrees = numbersIn(text)
  const [west = 0, south = 0, east = 0, north = 0] = degrees.map((each) => Math.round(each * 1e6))
  const bounds = { west, south, east, north }
  const outline: Ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
  ]
  const fault =
    faultOfText(text, "four", "west,south,east,north", bounds) ??
    (west >= east ? "Must have a west below its east" : null) ??
    (south >= north ? "Must have a south below its north" : null)
  return { ...areaOfRings([outline], [], boxText(bounds)), fault }
}

const maxKm = 200

/** Whether the text names a tenement in place of a latitude and a longitude: `ID,km`. */
export const isAroundTenement = (text: string): boolean =>
  /^[\w.~-]+,[^,]*$/.test(text) && !isDecimal(text.slice(0, text.indexOf(",")))

/** @param text `ID,km` */
export function parseAroundTenement(text: string) {
  const [id = "", written = ""] = text.split(",")
  const km = Number(written)
  return {
    id,
    km,
    fault: isDecimal(written)
      ? faultOfDistance(km)
      : `Must be the id of a tenement and a distance in km: ID,km`,
  }
}

/** @param text `latitude,longitude,km` */
export function parseCircle(text: string): ParsedArea {
  const [latitude = 0, longitude = 0, km = 0] = numbersIn(text)
  const [x, y] = [longitude * 1e6, latitude * 1e6]
  const bounds = { west: x, south: y, east: x, north: y }
  const textFault = faultOfText(text, "three", "latitude,longitude,km", bounds)
  const isPair = text.split(",").length === 2
  const fault = isPair ? `${textFault}, or ID,km` : (textFault ?? faultOfDistance(km))
  return { ...circleAround(latitude, longitude, km), fault }
}

const faultOfDistance = (km: number): string | null =>
  km > 0 && km <= maxKm ? null : `Must have a distance above 0 and at most ${maxKm} km`

/** The text of PostgreSQL's type `box`, also for the bounds of a shape. */
export const boxText = ({ west, south, east, north }: Bounds): string =>
  `(${west},${south}),(${east},${north})`

const isDecimal = (text: string): boolean => /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)

const numbersIn = (text: string): number[] => text.split(",").map(Number)

/** @param order of the numbers, which have no exponents, plus signs, blanks and leading zeros */
function faultOfText(
  text: string,
  count: string,
  order: string,
  { west, south, east, north }: Bounds,
): string | null {
  const texts = text.split(",")
  if (!texts.every(isDecimal) || texts.length !== order.split(",").length)
    return `Must be ${count} decimal numbers: ${order}`
  if (isIn([west, south], placesWithin) && isIn([east, north], placesWithin)) return null
  const isSwapped = isIn([south, west], placesWithin) && isIn([north, east], placesWithin)
  const hint = isSwapped ? `. Are latitude and longitude swapped? The order is ${order}` : ""
  return `Must have longitudes from 90 to 180 and latitudes from -60 to 0${hint}`
}

export const earthRadiusKm = 6371.0088
const cornerCount = 64

/**
 * The distance of the corners of an arc in place of that of the arc: with 64 of them to a circle they are 0.06%
 * too far, and the middles of the edges are 0.06% too near.
 */
export const cornersAt = (distance: number): number =>
  (distance * 2) / (1 + Math.cos(Math.PI / cornerCount))

/** A polygon of 64 corners, within the 0.3% promised although edges are not great circles. */
export function circleAround(latitude: number, longitude: number, km: number): Area {
  const distance = cornersAt(km / earthRadiusKm)
  const corners = Array.from({ length: cornerCount }, (_, index) =>
    destination(latitude, longitude, distance, (index / cornerCount) * 2 * Math.PI),
  )
  // Those to the north-east, south-east, south-west and north-west. The polygon is convex, so it contains
  // the box of the inner two of their longitudes and of their latitudes.
  const diagonal = corners.filter((_, index) => index % 16 === 8)
  const [, west = 0, east = 0] = diagonal.map(([x]) => x).sort(ascending)
  const [, south = 0, north = 0] = diagonal.map(([, y]) => y).sort(ascending)
  return areaOfRings([corners], [], boxText({ west, south, east, north }))
}

const ascending = (one: number, other: number): number => one - other

/** On a sphere. Distance and bearing are in radians, the bearing clockwise from north. */
function destination(
  latitude: number,
  longitude: number,
  distance: number,
  bearing: number,
): Point {
  const from = radians(latitude)
  const sine =
    Math.sin(from) * Math.cos(distance) + Math.cos(from) * Math.sin(distance) * Math.cos(bearing)
  const east = Math.atan2(
    Math.sin(bearing) * Math.sin(distance) * Math.cos(from),
    Math.cos(distance) - Math.sin(from) * sine,
  )
  return [microdegrees(radians(longitude) + east), microdegrees(Math.asin(sine))]
}

const radians = (degrees: number): number => (degrees / 180) * Math.PI

const microdegrees = (radians: number): number => (radians / Math.PI) * 180e6
