/** Reads the shapes of rows, in the reference system that the operator names or the file states. */
import { parsedGeometry, readGeometry } from "../../../data/places/read-geometry.ts"
import { noShape, type ShapeRead } from "../../../data/places/read-rings.ts"
import {
  type Datum,
  type ReferenceSystem,
  systemOfArcGis,
  systemOfGeoJson,
  systemOfPrj,
} from "../../../data/places/reference-system.ts"
import { readShapefile } from "../../../data/places/shapefile.ts"
import { memoized } from "../../../system/text/memoized.ts"
import { parsedJson } from "../../../system/text/parsed-json.ts"
import { textWithin } from "../../../system/text/text-within.ts"
import type { RawRecord } from "../../sources/source.ts"
import { type RowShape, rowShape } from "../staged-shape.ts"
import type { FileReading, InputFile, RefuseFile } from "./row.ts"

/** Undefined for a row that states no geometry. @param feature the one that has the geometry */
export type ShapeOf = (geometry: unknown, feature?: unknown) => RowShape | undefined

type WithShapes = Omit<FileReading, "source">

/**
 * A system that a geometry or its feature states, as GeoJSON of 2008 and ArcGIS allow, precedes that of the file.
 * @param stated the system that the file states. It is called with the first geometry that states none
 */
export function shapeReader(
  reading: WithShapes,
  stated: (geometry: unknown) => ReferenceSystem,
): ShapeOf {
  const { readsShapes, crs, figures, refuse } = reading
  let ofFile = crs
  let datum: Datum | undefined
  const named = memoized((statement: string) =>
    systemOfDocument(Object(parsedJson(statement)), refuse),
  )
  return (value, feature) => {
    if (!readsShapes || value === undefined) return undefined
    if (value === null || (typeof value === "string" && value.trim() === ""))
      return rowShape(noShape)
    const geometry = typeof value === "string" ? parsedGeometry(value) : value
    const fileSystem = () => (ofFile ??= stated(geometry))
    const own = crs === undefined ? (statementIn(geometry) ?? statementIn(feature)) : undefined
    const system = own === undefined ? fileSystem() : named(own)
    datum ??= system.datum
    if (system.datum !== datum)
      refuse("its shapes state several coordinate reference systems; name one with --crs EPSG:n")
    figures.crs = datum
    return rowShape(readGeometry(geometry, system.toDegrees))
  }
}

function statementIn(object: unknown): string | undefined {
  const { crs, spatialReference } = Object(object)
  return crs || spatialReference ? JSON.stringify({ crs, spatialReference }) : undefined
}

/** The system that the response of an ArcGIS service or a GeoJSON document states, or that of GeoJSON. */
export const systemOfDocument = (
  { crs, spatialReference }: RawRecord,
  refuse: RefuseFile,
): ReferenceSystem =>
  spatialReference === undefined
    ? systemOfGeoJson(crs, refuse)
    : systemOfArcGis(spatialReference, refuse)

/**
 * Checks a document that states no system before its features. GeoServer states it after them, which only
 * matters to the conversion of metres.
 * @param geometry the first one of the document
 */
export function checkLateSystem(
  document: RawRecord,
  geometry: unknown,
  { figures, refuse }: WithShapes,
): void {
  // Only GeoJSON, whose geometries have a type, has a system without a statement.
  const { datum, isProjected } =
    "type" in Object(geometry)
      ? systemOfDocument(document, refuse)
      : systemOfArcGis(document.spatialReference, refuse)
  if (isProjected)
    refuse("it states its coordinate reference system after its features; name it with --crs")
  figures.crs = datum
}

const maxPrjBytes = 64 * 1024

/** The shapes of the records of a dBase table, deleted ones too; undefined where there is no `.shp`. */
export async function shapesBeside(
  companion: InputFile["companion"],
  { readsShapes, crs, figures, refuse }: WithShapes,
): Promise<AsyncGenerator<ShapeRead> | undefined> {
  const bytes = readsShapes ? companion("shp") : undefined
  if (!bytes) return undefined
  const ofShapes: RefuseFile = (fault, options) => refuse(`its .shp: ${fault}`, options)
  const prj = companion("prj")
  // A small zip file may have one of gigabytes.
  const text =
    prj &&
    (await textWithin(maxPrjBytes, prj, () =>
      refuse(
        "its .prj is longer than 64 KB, so it is no coordinate reference system. Replace it, or load with --without-shapes",
      ),
    ))
  const system = crs ?? systemOfPrj(text, ofShapes)
  figures.crs = system.datum
  return readShapefile(bytes, system.toDegrees, ofShapes)
}
