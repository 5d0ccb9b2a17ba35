/** One record as a page: all its fields, links and versions. */

import { ApiError } from "../../../../api/http/api-error.ts"
import { readParameters, textParameter } from "../../../../api/http/parameters.ts"
import { canonicalQuery } from "../../../../api/http/query-string.ts"
import type { RecordAt } from "../../../../api/responses/answers.ts"
import { asOf as asOfParameter } from "../../../../api/responses/endpoint.ts"
import { pageTitle, trail } from "../../kit/components.ts"
import { type Content, html } from "../../kit/html.ts"
import type { PageResult } from "../../kit/page-context.ts"
import { exportMenu } from "../export/export-menu.ts"
import { cellOf, textOf } from "../lists/cells.ts"
import { linksAt } from "../lists/list-address.ts"
import { linkToList, recordNotFound } from "../lists/list-page.ts"
import {
  firstRows,
  type ListOfRecords,
  type RecordLinks,
  recordPathOf,
  type ShownField,
} from "../lists/list-view.ts"
import { pastNotice } from "../lists/results.ts"
import { watchLink } from "../lists/watched.ts"
import type { Visit } from "../visit.ts"
import { history, versionsRead } from "./history.ts"

export interface FoundRecord extends RecordAt {
  /** The stored spelling; a path may have another. */
  key: string
  links: RecordLinks
  /** The day of its data. */
  day: string
  isPast: boolean
}

/** Reads the parts of a record's page below its fields, and remarks behind fields by their names. */
type ReadParts = (
  visit: Visit,
  found: FoundRecord,
) => Promise<{ main: Content; remarks?: Readonly<Record<string, Content>> }>

/** @throws PageError 404; ApiError INVALID_PARAMETER */
export async function recordPage(
  visit: Visit,
  view: ListOfRecords,
  sentKey: string,
  readParts?: ReadParts,
): Promise<PageResult> {
  const { asOf, ...shown } = await findRecord(visit, view, sentKey)
  const { release } = shown
  const { resource } = view.endpoint
  const key = textOf(resource.key)(shown.record)
  const path = recordPathOf(view, key)
  const apiPath = `/api/v1${path}`
  const day = visit.dayOf(asOf, release)
  const found = { ...shown, key, links: linksAt(asOf), day, isPast: asOf !== undefined }
  const [parts, versions, missingSince = null] = await Promise.all([
    readParts?.(visit, found),
    visit.page(view.record.history, key, firstRows(release, versionsRead)),
    visit.missingSince(view, key),
  ])
  const record = { ...shown.record, missing_since: missingSince }
  const present = linksAt(undefined)(path)
  const api = {
    baseUrl: visit.publicUrl,
    path: apiPath,
    query: canonicalQuery({ as_of: asOf }, {}),
    resource,
  }
  const title = view.record.title(record)
  const [filter, field] = view.record.within
  const value = textOf(field)(record)
  const within = value ? [{ path: found.links(view.path, [[filter, value]]), title: value }] : []
  const pairOf = (shown: ShownField) => {
    const { head, field = "", fact = cellOf(shown), only } = shown
    if (only === "list") return null
    const written = fact(record, found.links, day)
    if (written === false) return null
    // The map announces their text: spaces separate its words.
    return html`<dt>${head}</dt> <dd>${written}${parts?.remarks?.[field]}</dd> `
  }
  return {
    title,
    section: "/explore",
    scripts: ["copy.js", "explore.js"],
    main: html`${trail([linkToList(view), ...within], title)}
${pageTitle(
  title,
  html`${view.record.lead(record, versions.records[0] ?? {}, found.links)}, at release ${release.id}`,
  html`<div class="toolbar">${watchLink(path)}${exportMenu(api, null)}</div>`,
)}
<div class="stack">${asOf !== undefined && pastNotice(release, asOf, present)}
<div class="panel"><dl class="facts">${view.fields.map(pairOf)}</dl></div>
${parts?.main}
${history(view, versions, `${apiPath}/history`)}</div>`,
  }
}

async function findRecord(visit: Visit, view: ListOfRecords, key: string) {
  const { query } = visit
  try {
    const asOf = textParameter(readParameters(query, asOfParameter), "as_of")
    return { ...(await visit.record(view, key, asOf)), asOf }
  } catch (error) {
    if (error instanceof ApiError && error.code === "NOT_FOUND") throw recordNotFound(view, key)
    throw error
  }
}
