/**
 * A layer of an ArcGIS server, by its REST interface. Each page has the records whose object ids follow the
 * last one, so that a record added or removed in between moves no others. Requests ask for shapes in degrees.
 */

import { isObject } from "../../system/text/parsed-json.ts"
import { excerpt } from "../../system/text/printable-text.ts"
import type { RawRecord } from "../sources/source.ts"
import { FetchError } from "./fetch-error.ts"
import { type Layer, objectIn, readJson, withParameters } from "./layer.ts"
import type { Access } from "./request.ts"
import type { ArcgisEntry } from "./sources-file.ts"

const defaultPageSize = 1_000

/** @throws FetchError where the address is not that of a layer */
export async function arcgisLayer(
  url: URL,
  { where = "1=1", page_size = defaultPageSize }: Pick<ArcgisEntry, "where" | "page_size">,
  access: Access,
): Promise<Layer> {
  const description = await readJson(withParameters(url, { f: "json" }), access, checked)
  const { fields, objectIdField, maxRecordCount, currentVersion } = description
  // Servers before 10.6 know no GDA2020.
  const wkid = Number(currentVersion) < 10.6 ? 4326 : 7844
  const field: unknown = Array.isArray(fields)
    ? fields.find((each) => isObject(each) && each.type === "esriFieldTypeOID")
    : undefined
  const idField = isObject(field) ? field.name : objectIdField
  if (typeof idField !== "string") {
    throw new FetchError(url, "it is not the address of an ArcGIS layer, which has object ids")
  }
  const maxPageSize = Number(maxRecordCount) > 0 ? Number(maxRecordCount) : defaultPageSize
  const query = new URL(url)
  query.pathname = `${url.pathname.replace(/\/$/, "")}/query`
  return {
    url,
    opening: `{"objectIdFieldName":${JSON.stringify(idField)},"spatialReference":{"wkid":${wkid}},"features":[`,
    countUrl: withParameters(query, { where, returnCountOnly: "true", f: "json" }),
    countIn: (text) => {
      const { count } = checked(objectIn(url, text))
      return typeof count === "number" ? count : undefined
    },
    pageUrl: (_read, last) =>
      withParameters(query, {
        where: last === undefined ? where : `(${where}) AND ${idField} > ${last}`,
        outFields: "*",
        outSR: String(wkid),
        orderByFields: idField,
        resultRecordCount: String(Math.min(page_size, maxPageSize)),
        f: "json",
      }),
    check: (response) => {
      const { spatialReference, features } = checked(response)
      const hasShape = Array.isArray(features) && features.some((each) => Object(each).geometry)
      if (!hasShape) return
      const { wkid: stated, latestWkid = stated } = Object(spatialReference)
      if (latestWkid === wkid || stated === wkid) return
      const system = latestWkid === undefined ? "an unknown system" : `EPSG:${latestWkid}`
      throw new FetchError(url, `it returned shapes in ${system}, not in EPSG:${wkid}`)
    },
    keyOf: ({ attributes }) => {
      const id = isObject(attributes) && attributes[idField]
      // The request for the next page contains it.
      if (Number.isSafeInteger(id)) return String(id)
      throw new FetchError(url, `a feature has no ${idField}`)
    },
  }

  /** ArcGIS returns errors with status 200. */
  function checked(response: RawRecord): RawRecord {
    const { error } = response
    if (!isObject(error)) return response
    const code = Number(error.code)
    const message = excerpt(String(error.message), 200)
    throw new FetchError(url, `it returned error ${code}, "${message}"`, {
      isTemporary: code === 429 || code >= 500,
    })
  }
}
