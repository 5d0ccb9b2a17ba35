/** What a list is to the explorer: where it is, its filters, its columns, and how it is put into words. */
import type { ListEndpoint } from "../../../answers/list-endpoint.ts"
import type { ResourceRecord } from "../../../resources/resource.ts"
import type { Choice, Column } from "../../kit/components.ts"

/** A filter as a field of the form. */
export interface FilterField {
  /** The parameter of the API. */
  name: string
  label: string
  hint?: string
  /** The values to choose from; or the field of the records whose values they are. */
  choices?: readonly Choice[]
  valuesOf?: string
  type?: "date"
  /** Text that gets more room than others. */
  wide?: boolean
  /** The filter as a part of the sentence that says what is shown. */
  words: (value: string) => string
}

export interface ViewColumn extends Omit<Column<ResourceRecord>, "cell" | "head"> {
  head: string
  cell: (record: ResourceRecord, links: RecordLinks) => ReturnType<Column<ResourceRecord>["cell"]>
  /** The value of `sort` that orders by it, and the direction that comes first. */
  sort?: { by: string; first: "asc" | "desc" }
}

/** Links from a record, which keep the point in time. */
export interface RecordLinks {
  /** @param path under /explore */
  to(path: string): string
}

/** A field whose values are counted beside the list. */
export interface CountedField {
  field: string
  title: string
  /** The filter that a bar sets. */
  filter: string
  isList?: boolean
}

export interface ListView {
  /** As its path under /explore; with `:code` where it belongs to a company. */
  path: string
  endpoint: ListEndpoint
  /** Under /api/v1; null where the API has no such list. */
  apiPath: string | null
  title: string
  /** What the records are: `["tenement", "tenements"]`. */
  noun: readonly [singular: string, plural: string]
  filters: readonly FilterField[]
  columns: readonly ViewColumn[]
  counted: readonly CountedField[]
}

/** The path of a view. @param code of the company that it belongs to */
export const pathWith = (path: string, code: string): string =>
  path.replace(":code", encodeURIComponent(code))

/** The fields whose values are counted, for the choices of filters and for bars. */
export const countedFields = ({ filters, counted }: ListView): string[] => [
  ...new Set([
    ...counted.map(({ field }) => field),
    ...filters.flatMap(({ valuesOf }) => valuesOf ?? []),
  ]),
]
