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

/** @param stated the system that the file states, which only a file with shapes needs */
export function shapeReader(
  { shapes, reject }: WithShapes,
  stated: () => ReferenceSystem,
): ShapeOf {
  let system: ReferenceSystem | undefined
  return (geometry) => {
    if (!shapes || geometry === undefined) return undefined
    if (geometry === null || geometry === "") return rowShape(noShape)
    system ??= systemOf(shapes, reject, stated)
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

/** The system that a GeoJSON document, or the response of an ArcGIS service, states. */
export const systemOfDocument = (document: RawRecord, reject: RejectFile): ReferenceSystem =>
  document.type === "FeatureCollection"
    ? systemOfGeoJson(document.crs, reject)
    : systemOfArcGis(document.spatialReference, reject)

/** Some servers state the system after the features, which only matters to the conversion of metres. */
export function checkLateSystem(document: RawRecord, { shapes, reject }: WithShapes): void {
  if (!shapes || shapes.crs !== undefined) return
  const { datum, isProjected } = systemOfDocument(document, reject)
  if (isProjected)
    reject("it states its coordinate reference system after its features; name it with --crs")
  shapes.noteDatum(datum)
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
