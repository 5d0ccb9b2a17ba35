/** A layer of a Web Feature Service 2.0 that answers in GeoJSON. */
import { withQuery } from "./arcgis.ts"
import { FetchError } from "./fetch-error.ts"
import type { Layer, LayerRecord } from "./layer.ts"
import type { Access } from "./request.ts"
import { answered, isObject, type JsonObject, readJson, readText } from "./service-response.ts"
import type { WfsEntry } from "./sources-file.ts"

const defaultPageSize = 1_000

export function wfsLayer(
  url: URL,
  { type_name, sort_by, page_size = defaultPageSize }: WfsEntry,
  access: Access,
): Layer {
  const request = withQuery(url, {
    service: "WFS",
    version: "2.0.0",
    request: "GetFeature",
    typeNames: type_name,
  })
  return {
    url,
    opening: '{"type":"FeatureCollection","features":[',
    count: () =>
      readText(withQuery(request, { resultType: "hits" }), access, (text) => matchedIn(url, text)),
    page: (read) =>
      readJson(
        withQuery(request, {
          outputFormat: "application/json",
          sortBy: sort_by,
          count: String(page_size),
          startIndex: String(read),
        }),
        access,
        (answer) => pageOf(url, sortedNames(sort_by), answer),
      ),
  }
}

/** The attributes of `sort_by` as GeoJSON names them: without prefixes, and without directions. */
const sortedNames = (sortBy: string): string[] =>
  sortBy.split(",").map((part) => {
    const name = part.trim().replace(/[\s+](ASC|DESC|A|D)$/i, "")
    return name.slice(name.lastIndexOf(":") + 1)
  })

function pageOf(
  url: URL,
  names: readonly string[],
  { features, ...others }: JsonObject,
): LayerRecord[] {
  if (!Array.isArray(features)) {
    throw new FetchError(url, `a page of it has no features${answered(JSON.stringify(others))}`)
  }
  return features.map((feature: unknown) => {
    const properties = isObject(feature) && isObject(feature.properties) ? feature.properties : {}
    const values = names.map((name) => properties[name] ?? null)
    if (values.every((value) => value === null)) {
      throw new FetchError(url, `a feature of it has no value of ${names.join(", ")}`)
    }
    return { feature, key: values.map((value) => JSON.stringify(value)).join(", ") }
  })
}

/** The answer to `resultType=hits` is XML, an error too. */
function matchedIn(url: URL, text: string): number {
  const [, matched] = /\bnumberMatched="(\d+)"/.exec(text) ?? []
  if (matched !== undefined) return Number(matched)
  throw new FetchError(url, `it does not say how many records it has${answered(text)}`)
}
