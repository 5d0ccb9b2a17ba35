/** Announcements of companies. */
import { Elysia } from "elysia"
import { reports } from "../../data/resources/reports.ts"
import type { ResourceRecord } from "../../data/resources/resource.ts"
import { splitValues } from "../../system/text/fold.ts"
import type { FeedOf } from "../http/atom.ts"
import { dataRequest } from "../plugins/data-request.ts"
import { historyEndpoint, listEndpoint, recordEndpoint } from "../responses/endpoint.ts"
import { type DataOptions, responder } from "./data.ts"

/** Reports as the entries of a feed. */
const announcements: FeedOf<ResourceRecord> = {
  title: "ASX announcements",
  entryOf: ({ hash, asx_code, title, type, published_at, url }) => ({
    id: String(hash),
    title: `${asx_code}: ${title}`,
    author: String(asx_code),
    updated: String(published_at),
    summary: `An announcement of ${asx_code}${type === null ? "" : `: ${type}`}`,
    categories: splitValues(String(type ?? "")),
    link: url === null ? null : String(url),
  }),
}

export const reportList = listEndpoint({
  path: "/reports",
  description: "Newest first.",
  resource: reports,
  feed: announcements,
})

export const report = recordEndpoint("/reports/:hash", reports)

export const reportHistory = historyEndpoint("/reports/:hash/history", reports)

export function reportRoutes(options: DataOptions) {
  const respond = responder(options)
  return new Elysia({ name: "reports" })
    .use(dataRequest(options))
    .get(reportList.path, respond(reportList))
    .get(report.path, respond(report))
    .get(reportHistory.path, respond(reportHistory))
}
