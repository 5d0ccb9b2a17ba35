/** Reads the shapes of rows, in the reference system that the operator names or the file states. */
import { readGeometry } from "../../places/read-geometry.ts"
import { noShape, type ShapeRead } from "../../places/read-rings.ts"
import {
  type ReferenceSystem,
  systemNamed,
  systemOfArcGis,
  systemOfGeoJson,
  systemOfPrj,
} from "../../places/reference-system.ts"
import { readShapefile } from "../../places/shapefile.ts"
import type { RawRecord } from "../../sources/source.ts"
import { type RowShape, rowShape } from "../staged-shape.ts"
import type { FileReading, InputFile, RejectFile, ShapeOptions } from "./row.ts"

/** Undefined for a row that states no geometry. */
export type ShapeOf = (geometry: unknown) => RowShape | undefined

type WithShapes = Pick<FileReading, "shapes" | "reject">

/** @param stated the system that the file states. It is called with the first geometry, if there is one */
export function shapeReader(
  { shapes, reject }: WithShapes,
  stated: (geometry: unknown) => ReferenceSystem,
): ShapeOf {
  let system: ReferenceSystem | undefined
  return (geometry) => {
    if (!shapes || geometry === undefined) return undefined
    if (geometry === null || (typeof geometry === "string" && geometry.trim() === ""))
      return rowShape(noShape)
    system ??= systemOf(shapes, reject, () => stated(geometry))
    return rowShape(readGeometry(geometry, system.toDegrees))
  }
}

function systemOf(
  { crs, noteDatum }: ShapeOptions,
  reject: RejectFile,
  stated: () => ReferenceSystem,
): ReferenceSystem {
  const system = crs === undefined ? stated() : systemNamed(crs, reject)
  noteDatum(system.datum)
  return system
}

/** The system that the response of an ArcGIS service or a GeoJSON document states, or that of GeoJSON. */
export const systemOfDocument = (
  { crs, spatialReference }: RawRecord,
  reject: RejectFile,
): ReferenceSystem =>
  spatialReference === undefined
    ? systemOfGeoJson(crs, reject)
    : systemOfArcGis(spatialReference, reject)

/**
 * Checks a document that states no system before its features. GeoServer states it after them, which only
 * matters to the conversion of metres.
 * @param geometry the first one of the document
 */
export function checkLateSystem(
  document: RawRecord,
  geometry: unknown,
  { shapes, reject }: WithShapes,
): void {
  // Only GeoJSON, whose geometries have a type, has a system without a statement.
  const { datum, isProjected } =
    "type" in Object(geometry)
      ? systemOfDocument(document, reject)
      : systemOfArcGis(document.spatialReference, reject)
  if (isProjected)
    reject("it states its coordinate reference system after its features; name it with --crs")
  shapes?.noteDatum(datum)
}

/** The shapes of the records of a dBase table, deleted ones too; undefined where there is no `.shp`. */
export async function shapesBeside(
  companion: InputFile["companion"],
  { shapes, reject }: WithShapes,
): Promise<AsyncGenerator<ShapeRead> | undefined> {
  const bytes = shapes && companion("shp")
  if (!shapes || !bytes) return undefined
  const ofShapes: RejectFile = (fault, options) => reject(`its .shp: ${fault}`, options)
  const prj = companion("prj")
  const text = prj && Buffer.concat(await Array.fromAsync(prj)).toString()
  const system = systemOf(shapes, ofShapes, () => systemOfPrj(text, ofShapes))
  return readShapefile(bytes, system.toDegrees, ofShapes)
}
