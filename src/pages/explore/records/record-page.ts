/** One record as a page: all its fields, and the ways from it. */
import { asOf as asOfParameter, type ListEndpoint } from "../../../answers/list-endpoint.ts"
import { ApiError } from "../../../http/api-error.ts"
import { canonicalQuery } from "../../../http/canonical-query.ts"
import { readParameters } from "../../../http/parameters.ts"
import type { Readable, ResourceRecord } from "../../../resources/resource.ts"
import { pageTitle } from "../../kit/components.ts"
import { type Content, type Html, html } from "../../kit/html.ts"
import type { PageResult } from "../../kit/page-context.ts"
import { PageError } from "../../kit/page-error.ts"
import { elsewherePanel } from "../elsewhere/panel.ts"
import type { Explorer, Visit } from "../explorer.ts"
import { linksAt } from "../lists/list-address.ts"
import { exploreTabs, recordNotFound } from "../lists/list-page.ts"
import type { ListView } from "../lists/list-view.ts"
import { pastNotice } from "../lists/words.ts"
import type { ShownRecord, ShownRelease } from "../reading/ask.ts"
import { historySection } from "./history-section.ts"

/** A record that was found, and the links from it, which keep the point in time. */
export interface FoundRecord extends ShownRecord {
  asOf: string | undefined
  links: ReturnType<typeof linksAt>
}

/** @throws PageError 404, 400 */
export async function findRecord(
  explorer: Explorer,
  visit: Visit,
  view: ListView,
  key: string,
): Promise<FoundRecord> {
  const { resource } = view.endpoint
  const path = `/api/v1/${resource.name}/${encodeURIComponent(key)}`
  try {
    const { as_of: asOf } = readParameters(visit.query, asOfParameter)
    const found = await explorer.ask.record(visit, resource, key, { path, query: visit.query })
    return { ...found, asOf, links: linksAt(asOf) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === "NOT_FOUND") throw recordNotFound(view, key)
    if (error.code === "INVALID_PARAMETER") throw badAddress(error)
    throw error
  }
}

function badAddress({ options }: ApiError): PageError {
  const faults = options.details?.parameters as { parameter: string; message: string }[] | undefined
  const words = faults?.map(({ parameter, message }) => `${parameter}: ${message}.`) ?? []
  return new PageError(
    400,
    "Not a valid address",
    `${words.join(" ")} Correct the address, or remove what follows its question mark.`,
  )
}

export interface RecordPage {
  resource: Readable
  key: string
  found: FoundRecord
  title: string
  lead: Content
  /** Label and value of every field. */
  facts: readonly (readonly [label: string, value: Content])[]
  /** Of the list that it is in. */
  listPath: string
  more?: Content
  /** The list of its versions. */
  history: ListEndpoint
}

export async function recordPage(
  explorer: Explorer,
  visit: Visit,
  { resource, key, found, title, lead, facts, listPath, more, history }: RecordPage,
): Promise<PageResult> {
  const path = `/api/v1/${resource.name}/${encodeURIComponent(key)}`
  const [tokens, versions] = await Promise.all([
    explorer.tokens(visit.person.accountId),
    historySection(explorer, visit, { endpoint: history, key, path, release: found.release }),
  ])
  const present = linksAt(undefined).to(`${listPath}/${encodeURIComponent(key)}`)
  const { asOf, release } = found
  const view = {
    baseUrl: visit.publicUrl,
    path,
    query: canonicalQuery({ as_of: asOf }, {}),
    resource,
    kind: "record" as const,
  }
  return {
    title,
    section: "explore",
    scripts: ["copy.js", "explore.js"],
    main: html`${pageTitle(title, html`${lead}, at release ${release.id}`)}
${exploreTabs(listPath)}
<div class="stack explore">${asOf !== undefined && pastNotice(release, asOf, present)}
<div class="panel">${factList(facts)}</div>
${more}
${versions}
<div class="panel">${elsewherePanel({ view, tokens, csv: null })}</div></div>`,
  }
}

const factList = (facts: RecordPage["facts"]): Html =>
  html`<dl class="facts">${facts.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>`

/** The query that reads what belongs to a record at the same release. */
export const atRelease = ({ id }: ShownRelease): string => `as_of=${id}`

export const fieldText = (record: ResourceRecord, field: string): string =>
  String(record[field] ?? "")
