/**
 * A layer of an ArcGIS server, by its REST interface. Each page has the records whose object ids follow
 * that of the last one, so that records that come or go in between move no others. Geometry is not
 * asked for.
 */
import { excerpt } from "../text/printable-text.ts"
import { FetchError } from "./fetch-error.ts"
import type { Layer, LayerRecord } from "./layer.ts"
import type { Access } from "./request.ts"
import { isObject, type JsonObject, readJson } from "./service-response.ts"
import type { ArcgisEntry } from "./sources-file.ts"

const defaultPageSize = 1_000

/** @throws FetchError where the address is not that of a layer */
export async function arcgisLayer(
  url: URL,
  { where = "1=1", page_size = defaultPageSize }: Pick<ArcgisEntry, "where" | "page_size">,
  access: Access,
): Promise<Layer> {
  const { idField, maxPageSize } = await readJson(withQuery(url, { f: "json" }), access, (answer) =>
    descriptionOf(url, answer),
  )
  const query = new URL(url)
  query.pathname = `${url.pathname.replace(/\/$/, "")}/query`
  return {
    url,
    opening: `{"objectIdFieldName":${JSON.stringify(idField)},"features":[`,
    count: () =>
      readJson(
        withQuery(query, { where, returnCountOnly: "true", f: "json" }),
        access,
        (answer) => {
          const { count } = checked(url, answer)
          if (typeof count === "number") return count
          throw new FetchError(url, "it does not say how many records it has")
        },
      ),
    page: (_read, last) =>
      readJson(
        withQuery(query, {
          where: last === undefined ? where : `(${where}) AND ${idField} > ${last}`,
          outFields: "*",
          returnGeometry: "false",
          orderByFields: idField,
          resultRecordCount: String(Math.min(page_size, maxPageSize)),
          f: "json",
        }),
        access,
        (answer) => pageOf(url, idField, checked(url, answer)),
      ),
  }
}

export function withQuery(url: URL, parameters: Readonly<Record<string, string>>): URL {
  const full = new URL(url)
  for (const [name, value] of Object.entries(parameters)) full.searchParams.set(name, value)
  return full
}

function descriptionOf(url: URL, answer: JsonObject) {
  const { fields, objectIdField, maxRecordCount } = checked(url, answer)
  const field = Array.isArray(fields)
    ? fields.find((each) => isObject(each) && each.type === "esriFieldTypeOID")
    : undefined
  const idField = field?.name ?? objectIdField
  if (typeof idField !== "string") {
    throw new FetchError(url, "it is not the address of an ArcGIS layer, which has object ids")
  }
  const maxPageSize = Number(maxRecordCount) > 0 ? Number(maxRecordCount) : defaultPageSize
  return { idField, maxPageSize }
}

/** ArcGIS answers errors with status 200. */
function checked(url: URL, answer: JsonObject): JsonObject {
  const { error } = answer
  if (!isObject(error)) return answer
  const code = Number(error.code)
  const message = excerpt(String(error.message), 200)
  throw new FetchError(url, `it answers error ${code}, "${message}"`, {
    isTemporary: code === 429 || code >= 500,
  })
}

function pageOf(url: URL, idField: string, { features }: JsonObject): LayerRecord[] {
  if (!Array.isArray(features)) throw new FetchError(url, "a page of it has no features")
  return features.map((feature: unknown) => {
    const id = isObject(feature) && isObject(feature.attributes) && feature.attributes[idField]
    // The next page is asked for by it.
    if (!Number.isSafeInteger(id)) throw new FetchError(url, `a feature of it has no ${idField}`)
    return { feature, key: String(id) }
  })
}
