/**
 * Lines that get the shown data into other programs. Each has `tokenPlaceholder` for the token. Power Query
 * has none: it asks for the key once and stores it among its credentials.
 */
import { type CanonicalQuery, queryText } from "../../../http/query-string.ts"
import type { Readable } from "../../../resources/resource.ts"
import { tokenPlaceholder } from "../../kit/components.ts"

/** The request to the API for the shown data. */
export interface ApiView {
  /** The service's public address, without a slash at its end. */
  baseUrl: string
  /** The path from `/api/v1` on. */
  path: string
  /** Without the defaults of the API. */
  query: CanonicalQuery
  resource: Readable
  /** Whether the list has the format Atom. */
  hasFeed?: boolean
}

/**
 * The URL of the shown page. Characters that could end or change a quoted text are encoded, so that the URL is
 * the same in a shell, a formula and a program.
 */
const addressOf = ({ baseUrl, path, query }: ApiView): string =>
  `${baseUrl}${path}${query.length > 0 ? `?${queryText(query)}` : ""}`.replace(
    /[!"'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** The list without its pages. */
const withoutPages = (view: ApiView, ...added: CanonicalQuery): ApiView => ({
  ...view,
  query: [...view.query.filter(([name]) => name !== "page" && name !== "per_page"), ...added],
})

/** Every record of the list in one response, for programs that read CSV. */
const exportOf = (view: ApiView, ...added: CanonicalQuery): ApiView =>
  withoutPages(view, ["format", "csv"], ["all", "true"], ...added)

/**
 * For programs that never run text as a formula: to them, the apostrophe that protects spreadsheets would be
 * a part of the text.
 */
const unguarded = (view: ApiView): ApiView => exportOf(view, ["formula_guard", "false"])

export interface Snippet {
  id: string
  label: string
  code: (view: ApiView) => string
  /** A hint on using it. */
  note: string
  /** Whether only lists with a feed have it. */
  isFeed?: true
}

const bearer = `Bearer ${tokenPlaceholder}`

const curl = (view: ApiView): string =>
  `curl -sS --fail-with-body -H 'Authorization: ${bearer}' '${addressOf(view)}'`

const forPowerQuery =
  "For Power Query: Data, Get Data, From Other Sources, Blank Query, Advanced Editor. When Excel asks for credentials, choose Web API and paste one of your tokens as the key, so that it is not in the workbook."

const address: Snippet = {
  id: "address",
  label: "URL",
  code: addressOf,
  note: "The URL in the API. A program sends one of your tokens with it, in the header Authorization.",
}

/** Lists have the formats that spreadsheets read. */
export const ofLists: readonly Snippet[] = [
  {
    id: "sheets",
    label: "Google Sheets",
    code: (view) => `=IMPORTDATA("${addressOf(exportOf(view, ["api_key", tokenPlaceholder]))}")`,
    note: `Gets every row, not this page alone. Whoever can open the sheet can read the token in it. If your sheet writes decimals with a comma, end the formula with ; ","; "en_US") instead of ).`,
  },
  {
    id: "excel",
    label: "Excel",
    code: (view) => `let
    Source = Csv.Document(
${webContents(unguarded(view))},
        [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv]
    ),
    Headed = Table.PromoteHeaders(Source, [PromoteAllScalars = true]),
    Unknown = Table.ReplaceValue(
        Headed, "", null, Replacer.ReplaceValue, Table.ColumnNames(Headed)
    ),
    Typed = Table.TransformColumnTypes(
        Unknown,
        {${typed(view, "powerQuery", (name, type) => `{${powerQueryLiteral(name)}, ${type}}`)}},
        "en-US"
    )
in
    Typed`,
    note: forPowerQuery,
  },
  {
    id: "curl",
    label: "curl",
    code: curl,
    note: "Gets this page as JSON. For a POSIX shell, as on macOS and Linux.",
  },
  {
    id: "python",
    label: "Python",
    code: (view) => `import pandas as pd

${view.resource.name} = pd.read_csv(
    "${addressOf(unguarded(view))}",
    storage_options={"Authorization": "${bearer}"},
    dtype={${typed(view, "pandas", (name, type) => `"${name}": "${type}"`)}},
    parse_dates=[${typed(view, "pandasDate", (name) => `"${name}"`)}],
    keep_default_na=False,
    na_values=[""],
)`,
    note: "Gets every row with pandas.",
  },
  {
    id: "r",
    label: "R",
    code: (view) => `${view.resource.name} <- read.csv(
  url(
    "${addressOf(unguarded(view))}",
    headers = c(Authorization = "${bearer}"), encoding = "UTF-8"
  ),
  na.strings = "",
  colClasses = c(${typed(view, "r", (name, type) => `${name} = "${type}"`)})
)`,
    note: "Gets every row. Needs nothing but R itself.",
  },
  {
    id: "feed",
    label: "Feed reader",
    code: (view) =>
      addressOf(withoutPages(view, ["format", "atom"], ["api_key", tokenPlaceholder])),
    note: "The newest 50 as an Atom feed, for feed readers and chat tools. Whoever can see the address can read the token in it.",
    isFeed: true,
  },
  address,
]

export const ofRecords: readonly Snippet[] = [
  {
    id: "curl",
    label: "curl",
    code: curl,
    note: "Gets this record as JSON. For a POSIX shell, as on macOS and Linux.",
  },
  {
    id: "excel",
    label: "Excel",
    code: (view) => `let
    Source = Json.Document(
${webContents(view)}
    ),
    Record = Source[data]
in
    Record`,
    note: forPowerQuery,
  },
  {
    id: "python",
    label: "Python",
    code: (view) => `import json
import urllib.request

request = urllib.request.Request(
    "${addressOf(view)}",
    headers={"Authorization": "${bearer}"},
)
with urllib.request.urlopen(request) as response:
    record = json.load(response)["data"]`,
    note: "Needs nothing but Python itself.",
  },
  {
    id: "r",
    label: "R",
    code: (view) => `record <- jsonlite::fromJSON(url(
  "${addressOf(view)}",
  headers = c(Authorization = "${bearer}"), encoding = "UTF-8"
))$data`,
    note: "Needs the package jsonlite.",
  },
  address,
]

const webContents = ({ baseUrl, path, query }: ApiView): string =>
  `        Web.Contents(
            ${powerQueryLiteral(baseUrl)},
            [
                RelativePath = ${powerQueryLiteral(path.slice(1))},
                Query = [${query.map(([name, value]) => `#${powerQueryLiteral(name)} = ${powerQueryLiteral(value)}`).join(", ")}],
                ApiKeyName = "api_key"
            ]
        )`

/**
 * Text in M: a quote is doubled, and `#(` begins an escape.
 * https://learn.microsoft.com/powerquery-m/m-spec-lexical-structure#character-escape-sequences
 */
export const powerQueryLiteral = (text: string): string =>
  `"${text
    .replaceAll('"', '""')
    .replaceAll("#(", "#(#)(")
    .replaceAll("\r", "#(cr)")
    .replaceAll("\n", "#(lf)")
    .replaceAll("\t", "#(tab)")}"`

type ColumnTypes = Partial<Record<"powerQuery" | "pandas" | "pandasDate" | "r", string>>

const text: ColumnTypes = { powerQuery: "type text", pandas: "string", r: "character" }

/**
 * By format or type of a field, its column in each program that would guess wrong: programs take a reference
 * such as 5678 for a number and the code NAN for a missing value.
 */
const columnTypes: Readonly<Record<string, ColumnTypes>> = {
  date: { powerQuery: "type date", pandasDate: "date", r: "Date" },
  "date-time": { powerQuery: "type datetimezone", pandasDate: "date", r: "character" },
  // pandas' integer with missing values.
  integer: { powerQuery: "Int64.Type", pandas: "Int64" },
  number: { powerQuery: "type number" },
  boolean: { powerQuery: "type logical", r: "logical" },
}

/** The columns with a type in a program, each as the program writes it. */
const typed = (
  { resource }: ApiView,
  program: keyof ColumnTypes,
  write: (name: string, type: string) => string,
): string =>
  Object.entries(resource.fields)
    .flatMap(([name, { schema }]) => {
      const type = (columnTypes[schema.format] ?? columnTypes[schema.type] ?? text)[program]
      return type === undefined ? [] : [write(name, type)]
    })
    .join(", ")
