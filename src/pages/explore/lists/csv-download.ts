import { encodeQuery } from "../../../http/query-string.ts"
import type { Explorer, Visit } from "../explorer.ts"
import { sentQuery } from "./list-address.ts"
import { apiPathOf } from "./list-page.ts"
import type { ListView } from "./list-view.ts"

/** Headers of the API that are for programs of other sites, or name what such an answer varies by. */
const ofApi = ["Access-Control-Allow-Origin", "Access-Control-Expose-Headers"]

/** Every record of a list in CSV, from the API's own exporter: a download that needs no token. */
export async function csvDownload(
  explorer: Explorer,
  visit: Visit,
  view: ListView,
  code: string,
): Promise<Response> {
  const all = [...sentQuery(visit.query), ["format", "csv"], ["all", "true"]] as const
  const answer = await explorer.ask.export(
    visit,
    { endpoint: view.endpoint, parent: code },
    { path: apiPathOf({ view, code }), query: encodeQuery(all) },
  )
  for (const name of ofApi) answer.headers.delete(name)
  answer.headers.set("Vary", "Cookie, Accept-Encoding")
  answer.headers.set("Cache-Control", "private, no-store")
  return answer
}
