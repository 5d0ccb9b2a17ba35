/** Describes a list to the explorer: its path, filters, fields and wording. */

import type { CanonicalQuery } from "../../../../api/http/query-string.ts"
import type { ListEndpoint, RecordEndpoint } from "../../../../api/responses/endpoint.ts"
import type { Release } from "../../../../data/reader/releases.ts"
import { countedFilters } from "../../../../data/resources/facets.ts"
import type { ResourceRecord } from "../../../../data/resources/resource.ts"
import { sentenceCase } from "../../../../system/text/display.ts"
import type { Choice, TableColumn } from "../../kit/components.ts"
import type { Content } from "../../kit/html.ts"
import type { PageResult } from "../../kit/page-context.ts"

/** A filter as a field of the form. */
export interface FilterField {
  /** The parameter of the API. */
  name: string
  label: string
  choices?: readonly Choice[]
  type?: "date"
  wide?: boolean
  /** Behind "More filters". */
  isFurther?: true
  /** Whether its values are not counted: there are too many to choose from. */
  isUncounted?: true
  /** Whether only scripts and links set it. */
  isHidden?: true
  /** Suggestions while a person types. */
  suggested?: readonly Choice[]
  /** The filter as a part of the sentence above the list. @param given the value of another filter */
  words: (value: string, given: (name: string) => string | undefined) => string
}

/** Parameters to add; null removes one. */
export type Changes = Readonly<Record<string, string | null>>

/** A frequent query. It keeps the other filters. */
export interface Preset {
  title: string
  /** @param day the first day that counts */
  parameters: (day: string) => Changes
}

/** @param day the day of the data: today, unless the page shows a past release */
export type Cell = (record: ResourceRecord, links: RecordLinks, day: string) => Content

/** Links from a record, which keep the point in time. @param path under /explore */
export type RecordLinks = (path: string, query?: CanonicalQuery) => string

/** A field of the records: a column of their list, and a line of a record's page. */
export interface ShownField extends Omit<TableColumn<ResourceRecord>, "cell" | "sorting"> {
  /** Its name in the API, if it is one of the API's fields. */
  field?: string
  /** Without one, the text of the field. */
  cell?: Cell
  /** On a record's page, if it differs; false leaves it out. */
  fact?: Cell
  /** Only in lists, as a record's page has it above; or only on that page, and in lists where a person chose it. */
  only?: "list" | "record"
  /** The value of `sort` that orders by it: the largest number first, or the alphabet. */
  sort?: string
}

export interface ListAddress {
  /** Under /api/v1, and under /explore; with the name of a key if the list belongs to a record. */
  path: string
  endpoint: ListEndpoint
  /** The key in the path of the endpoint, if it is always the same. */
  key?: string
}

export interface ListView extends ListAddress {
  /** Whether the API lacks this list. */
  isOfExplorerOnly?: true
  /** The singular and plural: `["tenement", "tenements"]`. */
  noun: readonly [singular: string, plural: string]
  filters: readonly FilterField[]
  presets?: readonly Preset[]
  fields: readonly ShownField[]
  /** The title of its page, if it is not the plural. */
  title?: string
  /** Between the filters and the records. */
  above?: Content
  /** Parts of its page that differ from those of other lists. */
  page?: Partial<PageResult>
}

/** A list of records with pages of their own. */
export interface ListOfRecords extends ListView {
  record: {
    title: (record: ResourceRecord) => string
    /** The sentence below the title; the newest version has fields that only the history has. */
    lead: (record: ResourceRecord, version: ResourceRecord, links: RecordLinks) => Content
    endpoint: RecordEndpoint
    /** The filter and the field whose value is on the way from the list to the record. */
    within: readonly [filter: string, field: string]
    history: ListAddress
  }
}

/** The parameters for the first records of a list at a release. */
export const firstRows = ({ id }: Release, rows = 10) => ({ per_page: rows, as_of: String(id) })

/** The path of a record, under /api/v1 and under /explore. */
export const recordPathOf = ({ path }: ListAddress, key: string): string =>
  `${path}/${encodeURIComponent(key)}`

/** `Tenements`, `Tenements of BIG` */
export const titleOfView = ({ title, noun: [, plural] }: ListView, code = ""): string =>
  title ?? `${sentenceCase(plural)}${code && ` of ${code.toUpperCase()}`}`

/** The filters with counted values: choices in the form, and bars beside the list. */
export const countedOf = ({ filters, endpoint }: ListView): FilterField[] =>
  filters.filter(
    ({ name, isUncounted }) => !isUncounted && countedFilters(endpoint.resource).includes(name),
  )
