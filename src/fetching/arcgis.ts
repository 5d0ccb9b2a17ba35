/** A layer of an ArcGIS server, by its REST interface. Geometry is not asked for. */
import { excerpt } from "../text/excerpt.ts"
import { FetchError } from "./fetch-error.ts"
import { isObject, type JsonObject } from "./json-object.ts"
import { readJson } from "./json-response.ts"
import type { Layer, Page } from "./layer.ts"
import type { Access } from "./request.ts"
import type { ArcgisEntry } from "./sources-file.ts"

const defaultPageSize = 1_000

/** @throws FetchError where the address is not that of a layer */
export async function arcgisLayer(
  url: URL,
  entry: Pick<ArcgisEntry, "where" | "page_size">,
  access: Access,
): Promise<Layer> {
  const { idField, maxPageSize } = await readJson(withQuery(url, { f: "json" }), access, (answer) =>
    descriptionOf(url, answer),
  )
  const query = new URL(url)
  query.pathname = `${url.pathname.replace(/\/$/, "")}/query`
  const where = entry.where ?? "1=1"
  const pageSize = Math.min(entry.page_size ?? defaultPageSize, maxPageSize)
  return {
    url,
    order: idField,
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
    page: (offset) =>
      readJson(
        withQuery(query, {
          where,
          outFields: "*",
          returnGeometry: "false",
          orderByFields: idField,
          resultOffset: String(offset),
          resultRecordCount: String(pageSize),
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
  const wantsSignIn = [401, 403, 498, 499].includes(code)
  throw new FetchError(
    url,
    `it answers error ${code}, "${excerpt(String(error.message), 200)}"${wantsSignIn ? ", so it wants a sign-in" : ""}`,
    { isTemporary: code === 429 || code >= 500 },
  )
}

function pageOf(url: URL, idField: string, { features, exceededTransferLimit }: JsonObject): Page {
  if (!Array.isArray(features)) throw new FetchError(url, "a page of it has no features")
  const records = features.map((feature: unknown) => {
    const id = isObject(feature) && isObject(feature.attributes) && feature.attributes[idField]
    if (typeof id !== "number" && typeof id !== "string") {
      throw new FetchError(url, `a feature of it has no ${idField}`)
    }
    return { feature, id: String(id), position: String(id) }
  })
  return { records, isLast: exceededTransferLimit !== true }
}
