/** Map services on the misbehaving server; `recordsAt` is asked for their records at each request. */
import { type DataRequest, plain, type Reply } from "./misbehaving-server.ts"

export const title = (number: number) => ({
  OBJECTID: number,
  tenid: `E  04${String(number).padStart(5, "0")}`,
  fmt_tenid: `E 04/${number}`,
  type: "EXPLORATION LICENCE",
  tenstatus: "LIVE",
  holder1: `QUARRY ${number} PTY LTD`,
})
export const titles = (count: number) =>
  Array.from({ length: count }, (_, index) => title(index + 1))
export const json = (value: unknown): Reply => plain(JSON.stringify(value))
export const query = ({ target }: DataRequest) => new URL(target, "http://x").searchParams

const description = {
  maxRecordCount: 2,
  fields: [{ name: "OBJECTID", type: "esriFieldTypeOID" }],
}

/** An ArcGIS server, whose pages have two records. */
export const arcgis =
  (recordsAt: (nth: number) => { OBJECTID: number }[]) =>
  (request: DataRequest, nth: number): Reply => {
    const records = recordsAt(nth)
    const parameters = query(request)
    if (!request.target.includes("/query")) return json(description)
    if (parameters.get("returnCountOnly")) return json({ count: records.length })
    const [, after = 0] = /OBJECTID > (\d+)$/.exec(parameters.get("where") ?? "") ?? []
    const page = records
      .filter(({ OBJECTID }) => OBJECTID > Number(after))
      .slice(0, Number(parameters.get("resultRecordCount")))
    return json({ features: page.map((attributes) => ({ attributes })) })
  }

export const wfs =
  (recordsAt: (nth: number) => ReturnType<typeof title>[]) =>
  (request: DataRequest, nth: number): Reply => {
    const records = recordsAt(nth)
    const parameters = query(request)
    if (parameters.get("resultType") === "hits") return hits(records.length)
    const start = Number(parameters.get("startIndex"))
    const page = records.slice(start, start + Number(parameters.get("count")))
    const features = page.map((properties) => ({ type: "Feature", properties }))
    return json({ type: "FeatureCollection", features, numberMatched: records.length })
  }

export const hits = (count: number | string): Reply =>
  plain(`<wfs:FeatureCollection numberMatched="${count}" numberReturned="0"/>`)
