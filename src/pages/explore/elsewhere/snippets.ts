/**
 * Lines that get what a page shows into other programs. Each has `tokenPlaceholder` where the token
 * belongs, but for Power Query, which keeps it among its credentials.
 */
import { tokenPlaceholder } from "../../kit/components.ts"
import { type ApiView, addressOf, exportAddress, unguarded } from "./api-view.ts"
import { type ColumnKind, columnsOf } from "./columns.ts"
import { formulaLiteral, quotedLiteral, shellLiteral } from "./literals.ts"
import { powerQueryList, powerQueryRecord } from "./power-query.ts"
import { pandasList, pythonRecord } from "./python.ts"

export interface Snippet {
  id: string
  label: string
  code: string
  /** What a person must know to use it. */
  note: string
}

/** Those that fit a page of a list or a record. */
export const snippetsOf = (view: ApiView): Snippet[] =>
  view.kind === "list"
    ? [sheets(view), excel(view), curl(view), python(view), r(view), address(view)]
    : [curl(view), excel(view), python(view), r(view), address(view)]

function sheets(view: ApiView): Snippet {
  const url = formulaLiteral(exportAddress(view, [["api_key", tokenPlaceholder]]))
  return {
    id: "sheets",
    label: "Google Sheets",
    code: `=IMPORTDATA(${url})`,
    note: `Gets every row, not this page alone. Whoever can open the sheet can read the token in it. If your sheet writes decimals with a comma, end the formula with ; ","; "en_US") instead of ).`,
  }
}

const excel = (view: ApiView): Snippet => ({
  id: "excel",
  label: "Excel",
  code: view.kind === "list" ? powerQueryList(view) : powerQueryRecord(view),
  note: "For Power Query: Data, Get Data, From Other Sources, Blank Query, Advanced Editor. When Excel asks for credentials, choose Web API and paste one of your tokens as the key, so that it is not in the workbook.",
})

const curl = (view: ApiView): Snippet => ({
  id: "curl",
  label: "curl",
  code: `curl -sS --fail-with-body -H ${shellLiteral(`Authorization: Bearer ${tokenPlaceholder}`)} ${shellLiteral(addressOf(view))}`,
  note:
    view.kind === "list"
      ? "Gets this page as JSON. For a POSIX shell, as on macOS and Linux."
      : "Gets this record as JSON. For a POSIX shell, as on macOS and Linux.",
})

const python = (view: ApiView): Snippet => ({
  id: "python",
  label: "Python",
  code: view.kind === "list" ? pandasList(view) : pythonRecord(view),
  note: view.kind === "list" ? "Gets every row with pandas." : "Needs nothing but Python itself.",
})

function r(view: ApiView): Snippet {
  const headers = `headers = c(Authorization = ${quotedLiteral(`Bearer ${tokenPlaceholder}`)})`
  const source = (url: string) =>
    `url(\n  ${quotedLiteral(url)},\n  ${headers}, encoding = "UTF-8"\n)`
  const { name } = view.resource
  return view.kind === "list"
    ? {
        id: "r",
        label: "R",
        code: `${name} <- read.csv(\n  ${source(exportAddress(view, unguarded)).replaceAll("\n", "\n  ")},\n  na.strings = "",\n  colClasses = c(${columnClasses(view)})\n)`,
        note: "Gets every row. Needs nothing but R itself.",
      }
    : {
        id: "r",
        label: "R",
        code: `record <- jsonlite::fromJSON(${source(addressOf(view))})$data`,
        note: "Needs the package jsonlite.",
      }
}

const columnClasses = (view: ApiView): string =>
  columnsOf(view)
    .flatMap(([name, kind]) => (classes[kind] ? [`${name} = "${classes[kind]}"`] : []))
    .join(", ")

/** What R would not find by itself. */
const classes: Readonly<Partial<Record<ColumnKind, string>>> = {
  text: "character",
  date: "Date",
  instant: "character",
  logical: "logical",
}

const address = (view: ApiView): Snippet => ({
  id: "address",
  label: "Address",
  code: addressOf(view),
  note: "The address in the API. A program sends one of your tokens with it, in the header Authorization.",
})
