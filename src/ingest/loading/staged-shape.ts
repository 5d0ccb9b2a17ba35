/**
 * The shape of a staged row. A row has the digest of its shape as `geometry`, which alone is compared; the other
 * columns follow from it.
 */
import { boxText } from "../../data/places/area.ts"
import { pointInside } from "../../data/places/inside.ts"
import type { ShapeRead } from "../../data/places/read-rings.ts"
import { boundsOf, coordinatesOf, type Shape } from "../../data/places/shape.ts"
import type { Resource } from "../../data/resources/resource.ts"
import { digest } from "../../system/text/digest.ts"
import { countText, type FileFigures } from "./figures.ts"

const followingGeometry = ["latitude", "longitude", "bounds"] as const

/** The columns of records that follow from `geometry`. */
export const placeColumns = ({ hasShapes }: Resource): readonly string[] =>
  hasShapes ? followingGeometry : []

export const shapeColumns = [
  "geometry",
  ...followingGeometry,
  "coordinates",
] as const satisfies readonly (keyof StagedShape)[]

type StagedShape = ReturnType<typeof stagedShape>

/** Returns values in PostgreSQL's text form, by column. */
export function stagedShape(shape: Shape) {
  const [longitude, latitude] = pointInside(shape)
  /** Of a GeoJSON multi-polygon. */
  const coordinates = `[${shape.map(coordinatesOf).join()}]`
  return {
    geometry: digest(coordinates),
    latitude: latitude / 1e6,
    longitude: longitude / 1e6,
    bounds: boxText(boundsOf(shape.map(({ outline }) => outline))),
    coordinates,
  }
}

/** The shape of a row, and what was left out of it. */
export interface RowShape extends Pick<ShapeRead, "leftOut"> {
  /** Null for none. Undefined for a row that changes no shape, since all its rings are left out. */
  staged: StagedShape | null | undefined
}

export function countLeftOut({ warnings }: FileFigures, shape: RowShape | undefined): void {
  for (const why of shape?.leftOut ?? []) countText(warnings, `geometry: ${why} was left out`)
}

export const rowShape = ({ shape, leftOut }: ShapeRead): RowShape => ({
  staged: shape ? stagedShape(shape) : leftOut.length > 0 ? undefined : null,
  leftOut,
})
