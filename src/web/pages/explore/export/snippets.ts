/**
 * Lines that get the shown data into other programs. Each has `tokenPlaceholder` for the token. Power Query
 * has none: it asks for the key once and stores it among its credentials.
 */
import type { Format } from "../../../../api/http/formats.ts"
import { type CanonicalQuery, queryText } from "../../../../api/http/query-string.ts"
import { fieldNames, type Readable } from "../../../../data/resources/resource.ts"
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

/** Every record of the list in one response. */
const exportOf = (view: ApiView, format: Format, ...added: CanonicalQuery): ApiView => {
  const query = view.query.filter(([name]) => name !== "page" && name !== "per_page")
  return { ...view, query: [...query, ["format", format], ["all", "true"], ...added] }
}

export interface Snippet {
  id: string
  label: string
  code: (view: ApiView) => string
  note: string
}

/** A name that every language accepts. */
const variableOf = ({ resource }: ApiView): string => resource.name.replaceAll("-", "_")

const bearer = `Bearer ${tokenPlaceholder}`

const curl: Snippet = {
  id: "curl",
  label: "curl",
  code: (view) => `curl -sS --fail-with-body -H 'Authorization: ${bearer}' '${addressOf(view)}'`,
  note: "Gets what this page shows as JSON. For a POSIX shell, as on macOS and Linux.",
}

const typesOf = "The file is Parquet, in which each column has its type."

const address: Snippet = {
  id: "address",
  label: "URL",
  code: addressOf,
  note: "The URL in the API. A program sends one of your tokens with it, in the header Authorization.",
}

/** Lists have the formats that spreadsheets read. */
export const listSnippets: readonly Snippet[] = [
  {
    id: "sheets",
    label: "Google Sheets",
    code: (view) =>
      `=IMPORTDATA("${addressOf(exportOf(view, "csv", ["api_key", tokenPlaceholder]))}")`,
    note:
      "Gets every row, not only this page. Everyone who can open the sheet can read its token. If your sheet " +
      'writes decimals with a comma, end the formula with ; ","; "en_US") instead of ).',
  },
  {
    id: "excel",
    label: "Excel",
    code: (view) => `let
    Source = Csv.Document(
${webContents(exportOf(view, "csv", ["formula_guard", "false"]))},
        [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv]
    ),
    Headed = Table.PromoteHeaders(Source, [PromoteAllScalars = true]),
    Unknown = Table.ReplaceValue(
        Headed, "", null, Replacer.ReplaceValue, Table.ColumnNames(Headed)
    ),
    Typed = Table.TransformColumnTypes(
        Unknown,
        {${typedColumns(view)}},
        "en-US"
    )
in
    Typed`,
    note:
      "For Power Query: Data, Get Data, From Other Sources, Blank Query, Advanced Editor. When Excel asks for " +
      "credentials, choose Web API and paste one of your tokens as the key, so that it is not in the workbook.",
  },
  curl,
  {
    id: "python",
    label: "pandas",
    code: (view) => `import pandas as pd

${variableOf(view)} = pd.read_parquet(
    "${addressOf(exportOf(view, "parquet"))}",
    storage_options={"Authorization": "${bearer}"},
    dtype_backend="pyarrow",
)`,
    note: `Gets every row. ${typesOf} Needs the package pyarrow.`,
  },
  {
    id: "r",
    label: "R",
    code: (view) => `file <- tempfile(fileext = ".parquet")
download.file(
  "${addressOf(exportOf(view, "parquet"))}", file, mode = "wb",
  headers = c(Authorization = "${bearer}")
)
${variableOf(view)} <- arrow::read_parquet(file)`,
    note: `Gets every row. ${typesOf} Needs the package arrow.`,
  },
  address,
]

/** Other programs read lists. */
export const recordSnippets: readonly Snippet[] = [curl, address]

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

/** By format or type of a field, its type in Power Query. */
const powerQueryTypes: Readonly<Record<string, string>> = {
  date: "type date",
  "date-time": "type datetimezone",
  integer: "Int64.Type",
  number: "type number",
  boolean: "type logical",
}

/** Power Query reads no type of a column that the file lacks. */
const typedColumns = ({ resource, query }: ApiView): string => {
  const names = new Map(query).get("fields")?.split(",") ?? fieldNames(resource, "always")
  return names
    .map((name) => {
      const schema = resource.fields[name]?.schema
      const type = powerQueryTypes[schema?.format] ?? powerQueryTypes[schema?.type] ?? "type text"
      return `{${powerQueryLiteral(name)}, ${type}}`
    })
    .join(", ")
}
