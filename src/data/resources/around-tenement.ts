/** The values of the filter `near`. */
import { isAroundShape, parseAroundShape, parseCircle } from "../places/area.ts"
import { readGeometry } from "../places/read-geometry.ts"
import { boundArea } from "./conditions.ts"

/**
 * The ground within a distance of the shape of a tenement. Which ground that is depends on the release, so each
 * read of a list replaces it by the area.
 */
export class AroundTenement {
  readonly id: string
  readonly km: number

  /** @param text `ID,km` */
  constructor(text: string) {
    const { id, km } = parseAroundShape(text)
    this.id = id
    this.km = km
  }

  /**
   * Returns the value that the filter binds; null for a shape with too many corners.
   * @param geometry the shape of the tenement, as text of GeoJSON
   */
  async areaAt(geometry: string): Promise<string | null> {
    const { areaAround } = await import("../places/around-shape.ts")
    const { shape } = readGeometry(geometry, (x, y) => [x, y])
    const area = shape && areaAround(shape, this.km)
    return area && boundArea(area)
  }
}

/** Whether the text has the form `ID,km`. */
export const isAroundTenement = isAroundShape

/** @param text `latitude,longitude,km` or `ID,km` */
export const boundNear = (text: string): string | AroundTenement =>
  isAroundShape(text) ? new AroundTenement(text) : boundArea(parseCircle(text))
