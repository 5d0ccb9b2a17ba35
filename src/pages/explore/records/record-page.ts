/** One record as a page: all its fields, the ways from it, and its versions. */

import { asOf as asOfParameter } from "../../../answers/list-endpoint.ts"
import type { RecordAt } from "../../../answers/record-answer.ts"
import type { Release } from "../../../db/reader/releases.ts"
import { ApiError } from "../../../http/api-error.ts"
import { readParameters } from "../../../http/parameters.ts"
import { canonicalQuery } from "../../../http/query-string.ts"
import type { ResourceRecord } from "../../../resources/resource.ts"
import { splitValues } from "../../../text/fold.ts"
import { pageTitle, table } from "../../kit/components.ts"
import { number, orDash } from "../../kit/format.ts"
import { type Content, type Html, html } from "../../kit/html.ts"
import type { PageResult } from "../../kit/page-context.ts"
import { PageError } from "../../kit/page-error.ts"
import { elsewherePanel } from "../elsewhere/panel.ts"
import { integer, listed, moment, text, textOf } from "../lists/cells.ts"
import { linksAt } from "../lists/list-address.ts"
import { exploreTabs, faultsOf, recordNotFound } from "../lists/list-page.ts"
import {
  type ListOfRecords,
  type RecordLinks,
  recordPathOf,
  type ShownField,
} from "../lists/list-view.ts"
import { columnsOf, pastNotice } from "../lists/results.ts"
import type { ShownPage, Visit } from "../visit.ts"

/** A record that was found. */
export interface FoundRecord extends RecordAt {
  /** As its field has it; a path may have another spelling. */
  key: string
  links: RecordLinks
  /** That its data is shown for. */
  day: string
  isPast: boolean
}

/** What belongs to a record, for its page. */
export type ReadParts = (visit: Visit, found: FoundRecord) => Promise<Html>

/** @throws PageError 404, 400 */
export async function recordPage(
  visit: Visit,
  view: ListOfRecords,
  sentKey: string,
  readParts?: ReadParts,
): Promise<PageResult> {
  const { asOf, ...shown } = await findRecord(visit, view, sentKey)
  const { record, release } = shown
  const { resource } = view.endpoint
  const key = textOf(resource.key)(record)
  const path = recordPathOf(view, key)
  const day = visit.dayOf(asOf, release)
  const found = { ...shown, key, links: linksAt(asOf), day, isPast: asOf !== undefined }
  const [parts, versions] = await Promise.all([
    readParts?.(visit, found),
    visit.page(view.record.history, key, firstRows(release)),
  ])
  const present = linksAt(undefined)(`${view.path}/${encodeURIComponent(key)}`)
  const api = {
    baseUrl: visit.publicUrl,
    path,
    query: canonicalQuery({ as_of: asOf }, {}),
    resource,
  }
  const title = view.record.title(record)
  const facts = view.fields.map(
    ({ head, cell, fact = cell }) =>
      html`<dt>${head}</dt><dd>${fact(record, found.links, day)}</dd>`,
  )
  return {
    title,
    section: "/explore",
    scripts: ["copy.js", "explore.js"],
    main: html`${pageTitle(title, html`${view.record.lead(record, versions.records[0] ?? {}, found.links)}, at release ${release.id}`)}
${exploreTabs(view)}
<div class="stack explore">${asOf !== undefined && pastNotice(release, asOf, present)}
<div class="panel"><dl class="facts">${facts}</dl></div>
${parts}
${history(versions, `${path}/history`, found.links)}
<div class="panel">${elsewherePanel(api, null)}</div></div>`,
  }
}

async function findRecord(visit: Visit, view: ListOfRecords, key: string) {
  const { query } = visit
  try {
    const { as_of: asOf } = readParameters(query, asOfParameter)
    return { ...(await visit.record(view, key, query)), asOf }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === "NOT_FOUND") throw recordNotFound(view, key)
    if (error.code === "INVALID_PARAMETER") throw badAddress(error)
    throw error
  }
}

function badAddress(error: ApiError): PageError {
  const words = faultsOf(error).map(({ parameter, message }) => `${parameter}: ${message}.`)
  return new PageError(
    400,
    "Not a valid address",
    `${words.join(" ")} Correct the address, or remove what follows its question mark.`,
  )
}

/** The query for the first records of a list that belongs to a record, at the same release. */
export const firstRows = ({ id }: Release, rows = 10): string => `per_page=${rows}&as_of=${id}`

function history({ records, meta }: ShownPage, path: string, links: RecordLinks): Html {
  return html`<section class="stack"><h2 id="history">History</h2>
${table({
  caption: "History",
  columns: columnsOf(ofVersions, links, ""),
  rows: records,
  empty: "No version is known.",
})}
<p class="muted small">${meta.total > records.length && `The newest ${number(records.length)} of ${number(meta.total)} versions. `}With its fields as they stood, each version is at <code>${path}</code>.</p></section>`
}

const ofVersions: readonly ShownField[] = [
  { head: "Since", cell: moment("since"), fixed: true },
  { head: "Release", cell: integer("since_release"), number: true },
  { head: "Until", cell: (version) => until(version), fixed: true },
  { head: "Source", cell: text("source") },
  { head: "Files", cell: listed("files"), wide: true },
  { head: "Changed", cell: (version) => changed(version), wide: true },
]

const until = (version: ResourceRecord): Content =>
  version.until_release === null ? "current" : moment("until")(version)

/** Of the oldest version that is kept nothing is known; where no field changed, the links did. */
function changed({ changed: fields }: ResourceRecord): Content {
  if (typeof fields !== "string") return orDash(null)
  const names = splitValues(fields)
  return names.length === 0
    ? "its links"
    : names.map((name) => html`<div><code>${name}</code></div>`)
}
