/** A layer of a Web Feature Service 2.0 that answers in GeoJSON. */
import { excerpt } from "../text/excerpt.ts"
import { withQuery } from "./arcgis.ts"
import { FetchError } from "./fetch-error.ts"
import { isObject, readJson, readText } from "./json-response.ts"
import type { Layer } from "./layer.ts"
import type { Access } from "./request.ts"
import type { WfsEntry } from "./sources-file.ts"

const defaultPageSize = 1_000

export function wfsLayer(url: URL, entry: WfsEntry, access: Access): Layer {
  const pageSize = entry.page_size ?? defaultPageSize
  const request = withQuery(url, {
    service: "WFS",
    version: "2.0.0",
    request: "GetFeature",
    typeNames: entry.type_name,
  })
  return {
    url,
    opening: '{"type":"FeatureCollection","features":[',
    count: () =>
      readText(withQuery(request, { resultType: "hits" }), access, (text) => matchedIn(url, text)),
    page: (startIndex) =>
      readJson(
        withQuery(request, {
          outputFormat: "application/json",
          sortBy: entry.sort_by,
          count: String(pageSize),
          startIndex: String(startIndex),
        }),
        access,
        ({ features, numberMatched }) => {
          if (!Array.isArray(features)) throw new FetchError(url, "a page of it has no features")
          const ids = features.flatMap((feature: unknown) => {
            const id = isObject(feature) ? feature.id : undefined
            return typeof id === "number" || typeof id === "string" ? [id] : []
          })
          // A server may answer with shorter pages than were asked for.
          const isLast = startIndex + features.length >= Number(numberMatched)
          return { features, ids, isLast: isLast || features.length === 0 }
        },
      ),
  }
}

/** The answer to `resultType=hits` is XML, an error too. */
function matchedIn(url: URL, text: string): number {
  const [, matched] = /\bnumberMatched="(\d+)"/.exec(text) ?? []
  if (matched !== undefined) return Number(matched)
  const [, exception] = /<(?:\w+:)?ExceptionText>\s*([^<]*?)\s*</.exec(text) ?? []
  throw new FetchError(
    url,
    exception === undefined
      ? "it does not say how many records it has"
      : `it answers with an error, "${excerpt(exception, 200)}"`,
  )
}
