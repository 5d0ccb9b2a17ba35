/** Python that reads what a page shows. */
import { tokenPlaceholder } from "../../kit/components.ts"
import { type ApiView, addressOf, exportAddress, unguarded } from "./api-view.ts"
import { type ColumnKind, columnsOf } from "./columns.ts"
import { quotedLiteral } from "./literals.ts"

const authorization = `{"Authorization": ${quotedLiteral(`Bearer ${tokenPlaceholder}`)}}`

/**
 * A code such as NAN is no missing value, and 360 no number: only empty cells are missing, and text
 * stays text.
 */
export function pandasList(view: ApiView): string {
  const { name } = view.resource
  const columns = columnsOf(view)
  const dates = columns.filter(([, kind]) => kind === "date" || kind === "instant")
  const typed = columns.flatMap(([column, kind]) => {
    const type = types[kind]
    return type === undefined ? [] : [`${quotedLiteral(column)}: "${type}"`]
  })
  return [
    "import pandas as pd",
    "",
    `${name} = pd.read_csv(`,
    `    ${quotedLiteral(exportAddress(view, unguarded))},`,
    `    storage_options=${authorization},`,
    `    dtype={${typed.join(", ")}},`,
    ...(dates.length > 0
      ? [`    parse_dates=[${dates.map(([column]) => quotedLiteral(column)).join(", ")}],`]
      : []),
    `    keep_default_na=False,`,
    `    na_values=[""],`,
    ")",
  ].join("\n")
}

/** `Int64` is the integer that may be unknown. */
const types: Readonly<Partial<Record<ColumnKind, string>>> = { text: "string", integer: "Int64" }

export const pythonRecord = (view: ApiView): string =>
  [
    "import json",
    "import urllib.request",
    "",
    "request = urllib.request.Request(",
    `    ${quotedLiteral(addressOf(view))},`,
    `    headers=${authorization},`,
    ")",
    "with urllib.request.urlopen(request) as response:",
    `    record = json.load(response)["data"]`,
  ].join("\n")
