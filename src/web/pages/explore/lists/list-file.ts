/** A list as a file. */
import type { Format } from "../../../../api/http/formats.ts"
import { readPairs } from "../../../../api/http/parameters.ts"
import type { CanonicalQuery, Pair } from "../../../../api/http/query-string.ts"
import { checkCombinations } from "../../../../api/responses/ask.ts"
import { changes, pathWith } from "../../../../api/responses/endpoint.ts"
import { shownNames } from "../../../../api/responses/question.ts"
import { fold } from "../../../../system/text/fold.ts"
import type { ShownPage, Visit } from "../visit.ts"
import { exportQuery, type RequestedList, sentQuery, withQuery } from "./list-address.ts"
import type { ListView } from "./list-view.ts"

/** Every record of a list, from the API's own exporter, without a token. */
export async function wholeFile(visit: Visit, view: ListView, format: Format, code = "") {
  const { parameters, formats } = view.endpoint
  const sent = sentQuery(visit.query, parameters)
  const query: CanonicalQuery = [...sent, ["format", format], ["all", "true"]]
  const values = readPairs(query, parameters, [], checkCombinations(formats, []))
  // Without the API's default, so that only a zone of the address takes the place of Sydney.
  const { timezone: _, ...others } = values
  const isZoned = query.some(([name]) => name === "timezone")
  const response = await visit.export(view, code, isZoned ? values : others)
  // These headers serve programs of other sites, or describe how the API's responses vary.
  response.headers.delete("Access-Control-Allow-Origin")
  response.headers.delete("Access-Control-Expose-Headers")
  response.headers.set("Vary", "Cookie, Accept-Encoding")
  const fileName = `${nameOfFile({ view, code, sent: query })}.${format}`
  response.headers.set("Content-Disposition", `attachment; filename="${fileName}"`)
  // The map requests the same release, by its number, whenever a person opens it.
  const cached = format === "csv" ? "no-store" : "max-age=3600"
  response.headers.set("Cache-Control", `private, ${cached}`)
  return response
}

/** Of the list, its company and its filters: `tenements-big-state-wa`. */
function nameOfFile({ view, code, sent }: RequestedList): string {
  const isChosen = ([name]: Pair) => name in changes || view.endpoint.filters.includes(name)
  return fold([view.noun[1], code, ...sent.filter(isChosen)].join(" "))
    .replace(/[^a-z0-9]+/g, " ")
    .trim()
    .slice(0, longestName)
    .replaceAll(" ", "-")
}

/** File systems allow 255 bytes. */
const longestName = 150

/** Every record, at the release of the page. */
export const fileAddress = (
  list: RequestedList,
  { release }: ShownPage,
  extension: string,
): string =>
  withQuery(`/explore${pathWith(list.view.path, list.code)}.${extension}`, [
    ...exportQuery(list).filter(([name]) => !["page", "per_page", "as_of"].includes(name)),
    ["as_of", String(release.id)],
  ])

/** The list in CSV, with its size by that of the shown rows. */
export function csvFile(list: RequestedList, page: ShownPage) {
  const { records, meta, question } = page
  const names = shownNames(question)
  const rows = records.map((record) => `${names.map((name) => record[name] ?? "").join()}\r\n`)
  return {
    // With a byte order mark, without which Excel does not read UTF-8.
    href: `${fileAddress(list, page, "csv")}&bom=true`,
    rows: meta.total,
    bytes: (Buffer.byteLength(rows.join("")) / Math.max(1, rows.length)) * meta.total,
    hasTimes: names.some((name) => question.resource.fields[name]?.schema.format === "date-time"),
  }
}
