/** Coordinates are converted only where the file states a system that the service knows. */
import { expect, test } from "bun:test"
import {
  type ReferenceSystem,
  systemOfArcGis,
  systemOfGeoJson,
  systemOfPrj,
  wgs84,
} from "../../../src/data/places/reference-system.ts"

const reject = (fault: string): never => {
  throw new Error(fault)
}

const faultOf = (read: () => unknown): string => {
  try {
    read()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return "none"
}

const known = (name: string) => systemOfGeoJson({ type: "name", properties: { name } }, reject)

/** Well-known text of ESRI, with the parameters of zone 55. */
const geographic = (datum: string) =>
  `GEOGCS["GCS",DATUM["${datum}",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]`
const zone55 = (datum: string) =>
  `PROJCS["Zone_55",${geographic(datum)},PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",10000000.0],PARAMETER["Central_Meridian",147.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]`

/** The datum, and the microdegrees of a place. */
function converted(system: ReferenceSystem, x: number, y: number): (string | number)[] {
  const [longitude, latitude] = system.toDegrees(x, y)
  return [system.datum, Math.round(longitude * 1e6), Math.round(latitude * 1e6)]
}

/** The example of the GDA94 Technical Manual: 37 57 03.72030 S, 144 25 29.52440 E. */
const [flindersPeakX, flindersPeakY] = [273741.297, 5796489.777]
const flindersPeak = [144424868, -37951033]

test.each([
  ["GDA_1994", "EPSG:4283"],
  ["D_GDA_1994", "EPSG:4283"],
  ["Geocentric_Datum_of_Australia_1994", "EPSG:4283"],
  ["D_GDA2020", "EPSG:7844"],
  ["GDA2020", "EPSG:7844"],
  ["Geocentric Datum of Australia 2020", "EPSG:7844"],
  ["D_WGS_1984", "EPSG:4326"],
  ["WGS_1984", "EPSG:4326"],
])("A .prj of %s keeps its degrees, and its zones are converted", (name, datum) => {
  const degrees = systemOfPrj(geographic(name), reject)
  expect(converted(degrees, 121.1234567, -31)).toEqual([datum, 121123457, -31e6])
  const zone = systemOfPrj(zone55(name), reject)
  expect(converted(zone, flindersPeakX, flindersPeakY)).toEqual([datum, ...flindersPeak])
})

test("A .prj with parameters to another datum is converted without them", () => {
  const shifted = zone55("GDA94").replace("]],PRIMEM", "],TOWGS84[100,100,100,0,0,0,0]],PRIMEM")
  expect(converted(systemOfPrj(shifted, reject), flindersPeakX, flindersPeakY)).toEqual([
    "EPSG:4283",
    ...flindersPeak,
  ])
})

test.each([
  ["EPSG:28355", "EPSG:4283"],
  ["urn:ogc:def:crs:EPSG::7855", "EPSG:7844"],
  ["urn:ogc:def:crs:EPSG:9.9:32755", "EPSG:4326"],
])("%s is converted to degrees of %s", (name, datum) => {
  const place = converted(known(name), flindersPeakX, flindersPeakY)
  expect(place).toEqual([datum, ...flindersPeak])
})

test("Web Mercator is converted on its sphere", () => {
  const { datum, toDegrees } = known("EPSG:3857")
  const [longitude, latitude] = toDegrees(13_000_000, -3_000_000)
  expect(datum).toBe("EPSG:4326")
  expect(longitude).toBeCloseTo((13_000_000 / 6_378_137 / Math.PI) * 180, 9)
  expect(latitude).toBeCloseTo((-Math.atan(Math.sinh(3_000_000 / 6_378_137)) / Math.PI) * 180, 9)
})

test("GeoJSON is in the reference system that it names, or in WGS 84 if it names none", () => {
  const named = (name: unknown) => ({ type: "name", properties: { name } })
  expect(systemOfGeoJson(undefined, reject)).toBe(wgs84)
  expect(systemOfGeoJson(null, reject)).toBe(wgs84)
  const crs84 = named("urn:ogc:def:crs:OGC:1.3:CRS84")
  expect(systemOfGeoJson(crs84, reject).datum).toBe("EPSG:4326")
  expect(systemOfGeoJson(named("EPSG:7844"), reject).datum).toBe("EPSG:7844")
  const gda94 = named("urn:ogc:def:crs:EPSG::4283")
  expect(converted(systemOfGeoJson(gda94, reject), 121, -31)).toEqual(["EPSG:4283", 121e6, -31e6])
  expect(faultOf(() => systemOfGeoJson({ type: "link" }, reject))).toStartWith(unknown)
  expect(faultOf(() => systemOfGeoJson(named(5), reject))).toStartWith(unknown)
})

test("ArcGIS JSON states its system by number or text", () => {
  const datumOf = (reference: unknown) => systemOfArcGis(reference, reject).datum
  expect(datumOf({ wkid: 4283 })).toBe("EPSG:4283")
  expect(datumOf({ wkid: 102100, latestWkid: 3857 })).toBe("EPSG:4326")
  expect(datumOf({ wkid: 102100 })).toBe("EPSG:4326")
  expect(datumOf({ wkt: zone55("D_GDA_1994") })).toBe("EPSG:4283")
  expect(faultOf(() => datumOf(undefined))).toBe(
    `it states no coordinate reference system. ${cure}`,
  )
})

const unknown = "its coordinate reference system cannot be converted: "
const cure =
  "Convert the file to GDA2020, name its true system with --crs EPSG:n, or load it with --without-shapes"

test.each([
  ["an unknown number", () => known("EPSG:2193")],
  ["AGD84 by its number", () => known("EPSG:20350")],
  ["AGD66", () => systemOfPrj(zone55("D_Australian_1966"), reject)],
  ["no number", () => known("GDA94")],
  ["an unknown datum", () => systemOfPrj(geographic("D_NZGD_2000"), reject)],
  ["an empty .prj", () => systemOfPrj("", reject)],
  ["a truncated .prj", () => systemOfPrj(zone55("D_GDA_1994").slice(0, 250), reject)],
  [
    "an unknown projection",
    () => systemOfPrj(zone55("GDA94").replace("Transverse", "Perverse"), reject),
  ],
  ["another meridian", () => systemOfPrj(geographic("GDA94").replace('h",0.0', 'h",2.3'), reject)],
  ["grads", () => systemOfPrj(geographic("GDA94").replace("Degree", "Grad"), reject)],
  [
    "metres from the centre of the earth",
    () => systemOfPrj(geographic("GDA94").replace("GEOGCS", "GEOCCS"), reject),
  ],
])("A file with %s is rejected, with its options", (_, read) => {
  const fault = faultOf(read)
  expect(fault).toStartWith(unknown)
  expect(fault).toEndWith(`. ${cure}`)
})
