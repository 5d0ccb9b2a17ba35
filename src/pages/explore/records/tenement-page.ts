import { maskedHolder } from "../../../resources/holder-names.ts"
import { tenements } from "../../../resources/tenements.ts"
import { tenementHistory } from "../../../routes/tenements.ts"
import { splitValues } from "../../../text/fold.ts"
import { orDash, stateNames } from "../../kit/format.ts"
import { html } from "../../kit/html.ts"
import type { PageResult } from "../../kit/page-context.ts"
import type { Explorer, Visit } from "../explorer.ts"
import { exactly, shown, statusWord, text } from "../lists/cells.ts"
import { tenementsView } from "../lists/views.ts"
import { fieldText, findRecord, recordPage } from "./record-page.ts"

export async function tenementPage(
  explorer: Explorer,
  visit: Visit,
  id: string,
): Promise<PageResult> {
  const found = await findRecord(explorer, visit, tenementsView, id)
  const { record, links } = found
  const title = fieldText(record, "tenement_id")
  const holders = splitValues(fieldText(record, "holder_name"))
  const state = fieldText(record, "state")
  return recordPage(explorer, visit, {
    resource: tenements,
    key: id,
    found,
    history: tenementHistory,
    title,
    lead: `A tenement in ${stateNames[state] ?? state}`,
    listPath: "/tenements",
    facts: [
      ["Tenement", html`<span class="mono">${title}</span>`],
      ["Identifier", html`<span class="mono">${shown(record.id)}</span>`],
      ["State", html`<a href="${links.to("/tenements", [["state", state]])}">${state}</a>`],
      ["Status", statusWord("status")(record)],
      ["Type", text("type")(record)],
      [
        "Holder",
        holders.length === 0
          ? orDash(shown(record.holder_name))
          : holders.map((name) => html`<div>${holderLink(name, links)}</div>`),
      ],
      ["Granted", text("grant_date")(record)],
      ["Expires", text("expiry_date")(record)],
      ["Area, km²", exactly("area_km2")(record)],
    ],
  })
}

/** Longer names can't be searched for, nor can those that are hidden. */
const mostSearched = 200

const holderLink = (
  name: string,
  links: { to: (path: string, query: [string, string][]) => string },
) =>
  [...name].length <= mostSearched && name !== maskedHolder
    ? html`<a href="${links.to("/tenements", [["holder", name]])}">${name}</a>`
    : name
