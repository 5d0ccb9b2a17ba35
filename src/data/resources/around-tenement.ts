/** The values of the filter `near`. */
import { isAroundTenement, parseAroundTenement, parseCircle } from "../places/area.ts"
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
    const { id, km } = parseAroundTenement(text)
    this.id = id
    this.km = km
  }

  /**
   * Returns the value that the filter binds, and the rings that a map draws, as JSON of latitudes and longitudes; null
   * where `areaAround` gives none.
   * @param geometry the shape of the tenement, as text of GeoJSON
   */
  async areaAt(geometry: string): Promise<{ bound: string; drawn: string } | null> {
    const { areaAround } = await import("../places/around-shape.ts")
    const { shape } = readGeometry(geometry, (x, y) => [x, y])
    const around = shape && areaAround(shape, this.km)
    if (!around) return null
    const drawn = around.rings.map((ring) =>
      ring.map(([x, y]) => [Math.round(y) / 1e6, Math.round(x) / 1e6]),
    )
    return { bound: boundArea(around.area), drawn: JSON.stringify(drawn) }
  }
}

// The pages import nothing of `places`.
export { isAroundTenement }

/** @param text `latitude,longitude,km` or `ID,km` */
export const boundNear = (text: string): string | AroundTenement =>
  isAroundTenement(text) ? new AroundTenement(text) : boundArea(parseCircle(text))
