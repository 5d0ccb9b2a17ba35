/** The changes that a page or a file shows: of which list, since when, and of which kinds. */
import { Type } from "@sinclair/typebox"
import { readPairs } from "../../../api/http/parameters.ts"
import { changes, listEndpoint } from "../../../api/responses/endpoint.ts"
import { countedByCompany } from "../../../data/resources/facets.ts"
import { decisionSources } from "../../../data/resources/releases.ts"
import type { ResourceRecord } from "../../../data/resources/resource.ts"
import { oneOf } from "../../../data/resources/values.ts"
import { daysAfter } from "../../../system/text/calendar-date.ts"
import { notFound } from "../kit/page-error.ts"
import { changesOfRegister, namesOfChanges } from "./kinds-of-change.ts"
import { pageParameters, sentQuery, sentValue } from "./lists/list-address.ts"
import type { FilterField, ListView, Preset } from "./lists/list-view.ts"
import { mainViews } from "./lists/views.ts"
import type { Visit } from "./visit.ts"

/** The fields with the codes of companies, by the names of the lists whose changes are counted by company. */
const companyFields: Readonly<Record<string, string>> = {
  tenements: "asx_codes",
  reports: "asx_code",
}

/** The lists with a page of changes, by name. */
export const changeViews = new Map<string, ListView>(
  mainViews
    .filter(({ endpoint }) => endpoint.resource.history)
    .map((view) => {
      const { path, resource } = view.endpoint
      const field = companyFields[resource.name]
      if (field === undefined) return [resource.name, view]
      const endpoint = listEndpoint({ path, resource: countedByCompany(resource, field) })
      return [resource.name, { ...view, endpoint }]
    }),
)

/** The form keeps the chosen kinds. */
const ownFilters: readonly FilterField[] = [
  { name: "since", label: "Changed since", words: String },
  { name: "changed", label: "", isHidden: true, words: String },
]

const periods: readonly Preset[] = [
  { title: "Last release", parameters: () => ({ since: null }) },
  ...[7, 30].map((days) => ({
    title: `${days} days`,
    parameters: (day: string) => ({ since: daysAfter(day, -days) }),
  })),
]

export type Requested = ReturnType<typeof requestedChanges>

/** @throws PageError 404 for the name of no list */
export function requestedChanges(visit: Visit, name: string) {
  const view = changeViews.get(name)
  if (!view) throw notFound("list", name, "No list has this name.", null)
  const parameters = {
    ...view.endpoint.parameters,
    since: Type.Optional(changes.updated_since),
    changed: Type.Optional(Type.Array(oneOf(namesOfChanges(view)), { uniqueItems: true })),
  }
  const shown = {
    ...view,
    path: `/changes/${name}`,
    endpoint: { ...view.endpoint, parameters },
    filters: [...ownFilters, ...view.filters.filter((each) => each.name in parameters)],
    presets: periods,
  }
  return {
    view,
    list: { view: shown, code: "", sent: sentQuery(visit.query, pageParameters(shown)) },
  }
}

/**
 * The changes to show: by default those of the last register, without those that later decisions on links made.
 * @throws as reads of lists do
 */
export async function changesAsked(visit: Visit, { view, list }: Requested) {
  const parameters = readPairs(list.sent, pageParameters(list.view))
  const { since: _since, fields: _fields, changed: _changed, ...values } = parameters
  const { release, records } = await visit.releases(sentValue(list, "as_of"))
  const last = records.find((each) => !isOfDecisions(each)) ?? release
  const first = Math.max(0, Number(last.id) - 1)
  const byDefault = records[0] && isOfDecisions(records[0]) ? changesOfRegister(view) : undefined
  const chosen = sentValue(list, "changed")?.split(",") ?? byDefault
  const fields = chosen?.filter((name) => name !== "removed" && name !== "missing")
  return {
    values: { ...values, as_of: String(release.id) },
    since: sentValue(list, "since") ?? String(first),
    first,
    chosen,
    fields: fields?.length ? fields : undefined,
  }
}

const isOfDecisions = ({ source }: ResourceRecord): boolean =>
  Object.values<unknown>(decisionSources).includes(source)

/** What changed in a record: `added`, or the names of its fields. */
export const namesIn = ({ changed }: ResourceRecord): string[] =>
  Array.isArray(changed) ? changed.map(String) : []
