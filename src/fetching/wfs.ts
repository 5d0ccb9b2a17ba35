/** A layer of a Web Feature Service 2.0 that answers in GeoJSON. */
import { withQuery } from "./arcgis.ts"
import { FetchError } from "./fetch-error.ts"
import { isObject, type JsonObject } from "./json-object.ts"
import { readJson, readText } from "./json-response.ts"
import type { Layer, LayerRecord, Page } from "./layer.ts"
import type { Access } from "./request.ts"
import { serviceErrorIn } from "./service-error.ts"
import type { WfsEntry } from "./sources-file.ts"

const defaultPageSize = 1_000

export function wfsLayer(url: URL, entry: WfsEntry, access: Access): Layer {
  const pageSize = entry.page_size ?? defaultPageSize
  const order = sortedNames(entry.sort_by)
  const request = withQuery(url, {
    service: "WFS",
    version: "2.0.0",
    request: "GetFeature",
    typeNames: entry.type_name,
  })
  return {
    url,
    order: order.join(", "),
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
        (answer) => pageOf(url, order, startIndex, answer),
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
  order: readonly string[],
  startIndex: number,
  { features, numberMatched, ...others }: JsonObject,
): Page {
  if (!Array.isArray(features)) {
    const error = serviceErrorIn(JSON.stringify(others))
    throw new FetchError(
      url,
      error === undefined ? "a page of it has no features" : `it answers with an error, ${error}`,
    )
  }
  const records = features.map((feature: unknown) => recordOf(url, order, feature))
  // A server may answer with shorter pages than were asked for, or not know the number.
  const isLast = startIndex + features.length >= Number(numberMatched)
  return { records, isLast }
}

function recordOf(url: URL, order: readonly string[], feature: unknown): LayerRecord {
  const { id: given, properties } = isObject(feature) ? feature : {}
  const id = typeof given === "number" || typeof given === "string" ? String(given) : null
  const values = order.map((name) => (isObject(properties) ? properties[name] : undefined) ?? null)
  if (id === null && values.includes(null)) {
    const missing = order[values.indexOf(null)]
    throw new FetchError(url, `a feature of it has neither an id nor a value of ${missing}`)
  }
  return { feature, id, position: values.map((value) => JSON.stringify(value)).join(", ") }
}

/** The answer to `resultType=hits` is XML, an error too. */
function matchedIn(url: URL, text: string): number {
  const [, matched] = /\bnumberMatched="(\d+)"/.exec(text) ?? []
  if (matched !== undefined) return Number(matched)
  const error = serviceErrorIn(text)
  throw new FetchError(
    url,
    error === undefined
      ? "it does not say how many records it has"
      : `it answers with an error, ${error}`,
  )
}
