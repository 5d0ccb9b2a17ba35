/** A layer of a Web Feature Service 2.0 that returns GeoJSON. */

import { systemOfGeoJson } from "../../data/places/reference-system.ts"
import { isObject } from "../../system/text/parsed-json.ts"
import { FetchError } from "./fetch-error.ts"
import { type Layer, withParameters } from "./layer.ts"
import type { WfsEntry } from "./sources-file.ts"

export function wfsLayer(url: URL, { type_name, sort_by, page_size = 1_000 }: WfsEntry): Layer {
  const request = withParameters(url, {
    service: "WFS",
    version: "2.0.0",
    request: "GetFeature",
    typeNames: type_name,
  })
  const names = sortedNames(sort_by)
  return {
    url,
    opening: '{"type":"FeatureCollection","features":[',
    countUrl: withParameters(request, { resultType: "hits" }),
    // The response is XML, also for an error.
    countIn: (text) => {
      const [, matched] = /\bnumberMatched="(\d+)"/.exec(text) ?? []
      return matched === undefined ? undefined : Number(matched)
    },
    pageUrl: (read) =>
      withParameters(request, {
        outputFormat: "application/json",
        srsName: "EPSG:4326",
        sortBy: sort_by,
        count: String(page_size),
        startIndex: String(read),
      }),
    check: ({ crs }) => {
      const { datum } = systemOfGeoJson(crs, (fault) => {
        throw new FetchError(url, fault)
      })
      if (datum !== "EPSG:4326")
        throw new FetchError(url, `it returned shapes in ${datum}, not in EPSG:4326`)
    },
    keyOf: ({ properties }) => {
      const values = names.map((name) => (isObject(properties) ? properties[name] : null) ?? null)
      if (values.some((value) => value !== null)) {
        return values.map((value) => JSON.stringify(value)).join(", ")
      }
      throw new FetchError(url, `a feature has no value of ${names.join(", ")}`)
    },
  }
}

/** The attributes of `sort_by` as GeoJSON names them: without prefixes, and without directions. */
const sortedNames = (sortBy: string): string[] =>
  sortBy.split(",").map((part) => {
    const name = part.trim().replace(/[\s+](ASC|DESC|A|D)$/i, "")
    return name.slice(name.lastIndexOf(":") + 1)
  })
