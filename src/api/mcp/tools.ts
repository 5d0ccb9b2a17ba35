/**
 * The tools for assistants. Each call reads one release. Its result has the release, the address of the API
 * request with the same data, at most 50 records with their total, and notes on the limits of the data.
 */
import type { TProperties, TSchema } from "@sinclair/typebox"
import type { Release } from "../../data/reader/releases.ts"
import { countedFilters } from "../../data/resources/facets.ts"
import { fieldNames } from "../../data/resources/resource.ts"
import { isPastExpiry, tenements } from "../../data/resources/tenements.ts"
import { asxCodeInPath, oneOf } from "../../data/resources/values.ts"
import { secondOf } from "../../system/text/time.ts"
import { documentedSpelling, type ParameterValues } from "../http/parameters.ts"
import { asOf, type ListEndpoint, paging, changes as sinceOf } from "../responses/endpoint.ts"
import { leftOutRecords, leftOutWords } from "../responses/notes.ts"
import { companyList, subsidiariesOfCompany, tenementsOfCompany } from "../routes/companies.ts"
import { tenementFacets } from "../routes/facets.ts"
import { reportList } from "../routes/reports.ts"
import { tenementList } from "../routes/tenements.ts"
import { maxRecords, readArguments, recordParameters } from "./arguments.ts"
import type { ToolReading } from "./reading.ts"

export interface Tool {
  name: string
  description: string
  parameters: TProperties
  /** @throws ApiError; Unavailable; ReleaseUnavailable */
  call(given: object, reading: ToolReading): Promise<object>
}

type Records = readonly Readonly<Record<string, unknown>>[]

interface Found {
  values: ParameterValues
  release: Release
  total: number
  records: Records
}

/** A list that a tool of its own searches. */
interface Searched {
  tool: string
  endpoint: ListEndpoint
  /** The key in its path, as an argument. */
  by?: TSchema
  /** The list whose records it counts, if its own records are counts. */
  counted?: ListEndpoint
  /** Sent with every request. */
  selection?: ParameterValues
  notes: (found: Found, reading: ToolReading) => readonly string[] | Promise<readonly string[]>
  /** Further parts of its result. */
  parts?: (found: Found, reading: ToolReading) => Promise<object | false>
}

const ofLinks =
  "total_tenements counts linked tenements: a company holds more where a holder's name matches neither the company nor one of its subsidiaries."
const ofContents = "The data has titles, types and addresses of announcements, not their contents."

const companySearch: Searched = {
  tool: "find_companies",
  endpoint: companyList,
  notes: ({ values, total }) =>
    total === 0 && values.active !== false
      ? ["Only active companies were searched; `active: false` finds the others."]
      : [ofLinks],
  parts: async ({ values: { search }, release }, reading) =>
    search !== undefined && {
      by_former_name: await reading.companiesFormerly(String(search), release),
    },
}

const pastExpiry =
  "Most granted tenements past their expiry date await a renewal: the register still lists them as granted."

const tenementSearch: Searched = {
  tool: "find_tenements",
  endpoint: tenementList,
  selection: { fields: [...fieldNames(tenements, "always"), "asx_codes", "latitude", "longitude"] },
  notes: async ({ values, release, total, records }, reading) => {
    const filters = filtersOf(tenementList).filter((name) => values[name] !== undefined)
    const isMissed = total === 0 && filters.includes("search")
    const day = reading.dayOf(values, release)
    const unlinked = records.filter(({ asx_codes }) => String(asx_codes ?? "") === "").length
    const past = records.filter((record) => isPastExpiry(record, day)).length
    const counted = (count: number) => `${count} of these ${records.length} records are`
    return [
      filters.join() === "company" &&
        (await reading.probableSubsidiaries(String(values.company), values)),
      isMissed && (await reading.nearestNumbers(values, release)),
      unlinked > 0 &&
        `${counted(unlinked)} linked to no company: the holder's name matches neither a listed company nor one of its subsidiaries.`,
      past > 0 && `${counted(past)} granted and past their expiry date on ${day}. ${pastExpiry}`,
    ].flatMap((note) => note || [])
  },
}

const reportSearch: Searched = {
  tool: "find_announcements",
  endpoint: reportList,
  notes: () => [ofContents],
}

const searches = [companySearch, tenementSearch, reportSearch]

const tenementCounts: Searched = {
  tool: "count_tenements",
  endpoint: tenementFacets,
  counted: tenementList,
  by: oneOf(countedFilters(tenements), {
    description: "Field whose values are counted: held_by ranks the holders",
    examples: ["held_by"],
  }),
  notes: () => [
    "`total` is the number of values. By held_by, a tenement counts once for each of its holders, and a company " +
      "and its subsidiaries are separate holders. By any other field, a tenement counts once.",
  ],
}

function searching(searched: Searched): Tool {
  const { tool, endpoint, by, counted = endpoint, selection, notes, parts } = searched
  const { resource, description } = endpoint
  const parameters = { ...(by && { by }), ...recordParameters(endpoint.parameters) }
  return {
    name: tool,
    description: `${resource.description} ${description}`,
    parameters,
    call: async (given, reading) => {
      const { by: key = "", ...sent } = readArguments(given, parameters)
      const values: ParameterValues = { ...sent, ...selection }
      const { release, part } = await reading.list(endpoint, values, { key: String(key) })
      const leftOut = await leftOutRecords(
        values,
        async (others) => (await reading.list(counted, others, { release })).part.total,
      )
      const found = { ...part, values, release }
      return {
        release: shown(release),
        ...part,
        ...(await parts?.(found, reading)),
        notes: [
          ...leftOut.map((each) => leftOutWords("The list", each)),
          ...(await notes(found, reading)),
        ],
      }
    },
  }
}

const shown = ({ id, publishedAt }: Release) => ({
  number: id,
  published_at: id === 0 ? null : secondOf(new Date(publishedAt * 1_000)),
})

const company: Tool = {
  name: "company",
  description:
    "One company by its ASX code: its record, its subsidiaries, its linked tenements counted by state and by " +
    "status, those past their expiry date, and its newest announcements.",
  parameters: { asx_code: asxCodeInPath, ...asOf },
  call: async (given, reading) => {
    const { asx_code, ...point } = readArguments(given, company.parameters)
    const { record, release, request } = await reading.company(String(asx_code), point)
    const key = String(record.asx_code)
    const day = reading.dayOf(point, release)
    const dayBefore = new Date(Date.parse(day) - 1).toISOString().slice(0, 10)
    const ended = { status: "granted", expires_to: dayBefore, sort: "expiry_date", per_page: 10 }
    const part = async (endpoint: ListEndpoint, values: ParameterValues, inPath = key) =>
      (await reading.list(endpoint, values, { release, key: inPath })).part
    const [subsidiaries, by_state, by_status, past_expiry, newest_announcements, leftOut] =
      await Promise.all([
        part(subsidiariesOfCompany, { per_page: 25 }),
        part(tenementFacets, { company: key }, "state"),
        part(tenementFacets, { company: key }, "status"),
        part(tenementsOfCompany, ended),
        part(reportList, { company: key, per_page: 10 }),
        leftOutRecords(ended, async (others) => (await part(tenementsOfCompany, others)).total),
      ])
    return {
      release: shown(release),
      request,
      company: record,
      subsidiaries,
      tenements: { total: record.total_tenements, by_state, by_status, past_expiry },
      newest_announcements,
      notes: [
        ...(await reading.probableSubsidiaries(key, point)),
        ofLinks,
        pastExpiry,
        ...leftOut.map((each) => leftOutWords("past_expiry", each)),
        ofContents,
      ],
    }
  },
}

const compared = {
  list: oneOf(searches.map(({ endpoint }) => endpoint.resource.name)),
  since: sinceOf.updated_since,
  ...asOf,
  page: paging.page,
}

const filtersOf = ({ filters, resource }: ListEndpoint): string[] => [
  ...filters,
  ...Object.keys(resource.parameters ?? {}),
]

const filterParameters = ({ endpoint }: Searched) =>
  Object.entries(endpoint.parameters).filter(([name]) => filtersOf(endpoint).includes(name))

/** The filters of all lists. Those of several lists have the description of each. */
const allFilters: TProperties = {}
for (const searched of searches) {
  const { name: list } = searched.endpoint.resource
  for (const [name, schema] of filterParameters(searched)) {
    const { description: others = "", ...other } = allFilters[name] ?? {}
    const description = `${others && `${others}. `}Of ${list}: ${schema.description}`
    allFilters[name] = { ...schema, ...other, description }
  }
}

const changes: Tool = {
  name: "changes",
  description:
    "The records of a list that were added or changed after `since`, and those that left the list after it, up " +
    "to `as_of` or now. Without `since`, the changes of that one release. `since` and `as_of` are release " +
    "numbers, days or date-times. A list takes the filters of the tool that searches it, such as `company` for " +
    "the tenements that a company gained or lost.",
  parameters: { ...compared, ...allFilters },
  call: async (given: { list?: unknown }, reading) => {
    const list = documentedSpelling(compared.list, String(given.list))
    const searched = searches.find(({ endpoint }) => endpoint.resource.name === list)
    const filters = searched ? Object.fromEntries(filterParameters(searched)) : allFilters
    const { list: _, ...chosen } = readArguments(given, { ...compared, ...filters })
    const { endpoint, selection, notes } = searched ?? companySearch
    const values: ParameterValues = { ...chosen, ...selection, per_page: maxRecords / 2 }
    const { release, from, changed, removed } = await reading.changes(endpoint, values)
    return {
      release: shown(release),
      since: shown(from),
      added_or_changed: changed,
      removed,
      notes: [
        "Added and changed records are shown as they are at the release, removed ones as they were at `since`.",
        "A record is in `removed` when it was removed or no longer matches the filters.",
        ...(await notes({ ...changed, values: { as_of: values.as_of }, release }, reading)),
      ],
    }
  },
}

const sources: Tool = {
  name: "sources",
  description:
    "The sources of the data: licence, attribution, how fresh each is, and how many of its records are " +
    "missing, rejected or unlinked. Use it to judge and to cite the data.",
  parameters: {},
  call: async (given, reading) => {
    readArguments(given, {})
    const { release, request, records } = await reading.sources()
    return {
      release: shown(release),
      request,
      total: records.length,
      records: records.slice(0, maxRecords),
      notes: ["Sources belong to no release: they are as of now, beside the newest release."],
    }
  },
}

export const tools: readonly Tool[] = [
  ...[...searches, tenementCounts].map(searching),
  ...[company, changes, sources],
]
