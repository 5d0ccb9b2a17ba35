import { Elysia } from "elysia"
import { recordEndpoint } from "../answers/endpoint.ts"
import { listEndpoint } from "../answers/list-endpoint.ts"
import type { FeedOf } from "../http/atom.ts"
import { type AnswersOptions, answers } from "../plugins/answers.ts"
import { reports as resource } from "../resources/reports.ts"
import type { ResourceRecord } from "../resources/resource.ts"
import { ofRecord, versionsOf } from "../resources/versions.ts"
import { splitValues } from "../text/fold.ts"

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
  description: "Newest first.",
  resource,
  filters: Object.keys(resource.filters),
  feed: announcements,
})

export const report = recordEndpoint(resource)

export const reportHistory = listEndpoint({
  description: "Newest first.",
  resource: versionsOf(resource),
  filters: [],
  belongsTo: ofRecord(resource),
})

export const reports = (options: AnswersOptions) =>
  new Elysia({ name: "reports", prefix: "/reports" })
    .use(answers(options))
    .get("/", ({ list }) => list(reportList))
    .get("/:hash", ({ record }) => record(report))
    .get("/:hash/history", ({ list }) => list(reportHistory))
