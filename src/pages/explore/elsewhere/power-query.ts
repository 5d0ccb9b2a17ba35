/**
 * Power Query's M for what a page shows. The token is not in it: `ApiKeyName` says which parameter
 * carries the key that Excel or Power BI asks for once and keeps among its credentials.
 */
import type { CanonicalQuery } from "../../../http/canonical-query.ts"
import { type ApiView, exportQuery, unguarded } from "./api-view.ts"
import { type ColumnKind, columnsOf } from "./columns.ts"
import { powerQueryLiteral, powerQueryName } from "./literals.ts"

export function powerQueryList(view: ApiView): string {
  const typed = columnsOf(view).map(
    ([name, kind]) => `{${powerQueryLiteral(name)}, ${types[kind]}}`,
  )
  return `let
    Source = Csv.Document(
${contents(view, exportQuery(view, unguarded), "        ")},
        [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv]
    ),
    Headed = Table.PromoteHeaders(Source, [PromoteAllScalars = true]),
    Unknown = Table.ReplaceValue(
        Headed, "", null, Replacer.ReplaceValue, Table.ColumnNames(Headed)
    ),
    Typed = Table.TransformColumnTypes(
        Unknown,
        {${typed.join(", ")}},
        "en-US"
    )
in
    Typed`
}

export const powerQueryRecord = (view: ApiView): string => `let
    Source = Json.Document(
${contents(view, view.query, "        ")}
    ),
    Record = Source[data]
in
    Record`

function contents({ baseUrl, path }: ApiView, query: CanonicalQuery, indent: string): string {
  const fields = query.map(
    ([name, value]) => `${powerQueryName(name)} = ${powerQueryLiteral(value)}`,
  )
  return `Web.Contents(
    ${powerQueryLiteral(baseUrl)},
    [
        RelativePath = ${powerQueryLiteral(path.slice(1))},
        Query = [${fields.join(", ")}],
        ApiKeyName = "api_key"
    ]
)`.replace(/^/gm, indent)
}

const types: Readonly<Record<ColumnKind, string>> = {
  text: "type text",
  date: "type date",
  instant: "type datetimezone",
  integer: "Int64.Type",
  number: "type number",
  logical: "type logical",
}
