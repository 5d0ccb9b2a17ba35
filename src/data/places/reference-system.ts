/**
 * The coordinate reference systems of files. The service stores degrees in the datum of the file: GDA2020,
 * GDA94 or WGS 84, which are at most 2 m apart and are never converted to one another. It converts
 * projections on these datums to degrees. Older datums are 200 m off, so a file in one of them is rejected.
 */
import proj4 from "proj4"
import { excerpt } from "../../system/text/printable-text.ts"
import type { ToDegrees } from "./read-rings.ts"

/** GDA2020, GDA94 and WGS 84, by their EPSG numbers. */
export const datums = ["EPSG:7844", "EPSG:4283", "EPSG:4326"] as const

export type Datum = (typeof datums)[number]

export interface ReferenceSystem {
  datum: Datum
  isProjected: boolean
  toDegrees: ToDegrees
}

/** Ends the load. @param fault why the file cannot be read */
type Reject = (fault: string) => never

/** GeoJSON that names no system, by RFC 7946. */
export const wgs84: ReferenceSystem = geographic("EPSG:4326")

/** @param name as `--crs`, GeoJSON and services write it: `EPSG:4283`, `urn:ogc:def:crs:EPSG::4283` */
export function systemNamed(name: string): ReferenceSystem | undefined {
  if (/\bCRS:?84$/i.test(name)) return wgs84
  const [, code] = /^(?:urn:ogc:def:crs:)?EPSG:(?:[\d.]*:)?(\d{4,6})$/i.exec(name) ?? []
  return systemNumbered(Number(code))
}

/** The `crs` of a GeoJSON document of 2008. RFC 7946 has none. */
export function systemOfGeoJson(crs: unknown, reject: Reject): ReferenceSystem {
  if (crs === undefined || crs === null) return wgs84
  const name: unknown = Object(Object(crs).properties).name
  if (typeof name !== "string") return unsupported(crs, reject)
  return systemNamed(name) ?? unsupported(name, reject)
}

/** The `spatialReference` of ArcGIS JSON. */
export function systemOfArcGis(reference: unknown, reject: Reject): ReferenceSystem {
  const { latestWkid, wkid, wkt } = Object(reference)
  if (typeof wkt === "string") return systemOfPrj(wkt, reject)
  return systemNumbered(Number(latestWkid ?? wkid)) ?? unsupported(reference, reject)
}

/** The `.prj` of a shapefile: well-known text of a coordinate system, in the form of 1999 or of ESRI. */
export function systemOfPrj(text: string | undefined, reject: Reject): ReferenceSystem {
  if (text === undefined) return unsupported(text, reject)
  const [, datumName = ""] = /\bDATUM\s*\[\s*"([^"]*)"/i.exec(text) ?? []
  const datum = datumNames.find(([names]) => names.test(datumName.replaceAll(" ", "_")))?.[1]
  const [, primeMeridian] = /\bPRIMEM\s*\[\s*"[^"]*"\s*,\s*([-\d.]+)/i.exec(text) ?? []
  if (!datum || Number(primeMeridian ?? 0) !== 0) return unsupported(text, reject)
  if (/^\s*GEOGCS\b/i.test(text) && /\bUNIT\s*\[\s*"degree/i.test(text)) return geographic(datum)
  if (!/^\s*PROJCS\b/i.test(text)) return unsupported(text, reject)
  try {
    return projected(datum, text.replace(/,\s*TOWGS84\s*\[[^\]]*\]/i, ""))
  } catch {
    return unsupported(text, reject)
  }
}

const datumNames: readonly [names: RegExp, datum: Datum][] = [
  [/^(D_)?(GDA_?2020|Geocentric_Datum_of_Australia_2020)$/i, "EPSG:7844"],
  [/^(D_)?(GDA_?(19)?94|Geocentric_Datum_of_Australia_1994)$/i, "EPSG:4283"],
  [/^(D_)?WGS_?(19)?84$|^World_Geodetic_System_1984/i, "EPSG:4326"],
]

/** By their EPSG numbers. The last two digits are the zone. */
const zones: readonly [first: number, last: number, datum: Datum, ellipsoid: string][] = [
  [28348, 28358, "EPSG:4283", "GRS80"],
  [7846, 7859, "EPSG:7844", "GRS80"],
  [32747, 32760, "EPSG:4326", "WGS84"],
]

/** @param code NaN for none */
function systemNumbered(code: number): ReferenceSystem | undefined {
  const datum = datums.find((datum) => datum === `EPSG:${code}`)
  if (datum) return geographic(datum)
  for (const [first, last, datum, ellipsoid] of zones) {
    if (code >= first && code <= last)
      return projected(datum, `+proj=utm +zone=${code % 100} +south +ellps=${ellipsoid}`)
  }
  // Web Mercator, in which ArcGIS services publish by default.
  if (code === 3857 || code === 102100) return projected("EPSG:4326", webMercator)
  return undefined
}

const webMercator = "+proj=merc +lon_0=0 +x_0=0 +y_0=0 +a=6378137 +b=6378137"

function geographic(datum: Datum): ReferenceSystem {
  return { datum, isProjected: false, toDegrees: (x, y) => [x, y] }
}

/** @throws for a definition that proj4 does not know, which can be text */
function projected(datum: Datum, definition: string): ReferenceSystem {
  // Degrees without a datum: proj4 then converts only the projection.
  const converter = proj4(definition, "+proj=longlat +ellps=GRS80 +no_defs")
  return {
    datum,
    isProjected: true,
    toDegrees: (x, y) => converter.forward<[number, number]>([x, y]),
  }
}

const remedies =
  "Convert the file to GDA2020, name its true system with --crs EPSG:n, or load it with --without-shapes"

function unsupported(stated: unknown, reject: Reject): never {
  if (stated === undefined) return reject(`it states no coordinate reference system. ${remedies}`)
  const shown = excerpt(JSON.stringify(stated), 100)
  return reject(`its coordinate reference system cannot be converted: ${shown}. ${remedies}`)
}
