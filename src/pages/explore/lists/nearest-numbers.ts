/** The tenements with the nearest numbers, for a number that none has. */
import { tenementsByNumber } from "../../../resources/tenements.ts"
import { listEndpoint } from "../../../responses/endpoint.ts"
import { referenceKey } from "../../../text/reference-key.ts"
import { notice } from "../../kit/components.ts"
import { isolated } from "../../kit/format.ts"
import { type Content, html } from "../../kit/html.ts"
import type { Visit } from "../visit.ts"
import { textOf } from "./cells.ts"
import { linksAt } from "./list-address.ts"
import { recordPathOf } from "./list-view.ts"
import { tenementsView } from "./tenement-views.ts"

const byNumber = {
  path: tenementsView.path,
  endpoint: listEndpoint({ path: tenementsView.path, resource: tenementsByNumber }),
}

const mostOnEachSide = 3

/**
 * Null for a text that is no number with a type.
 * @param state the state of the number, if it is known
 */
export async function nearestNumbers(
  visit: Visit,
  written: string,
  state?: string,
): Promise<Content> {
  const key = referenceKey(written)
  const type = /^[A-Z]+ (?=\d)/.exec(key)?.[0]
  if (type === undefined) return null
  const read = (order: string, from_key: string, before_key: string) =>
    visit.first(byNumber, { state, from_key, before_key, order }, mostOnEachSide)
  // A colon follows the digits.
  const [below, above] = await Promise.all([read("desc", type, key), read("asc", key, `${type}:`)])
  const links = [...below.toReversed(), ...above].map((tenement, index) => {
    const href = linksAt(undefined)(recordPathOf(tenementsView, textOf("id")(tenement)))
    return html`${index > 0 && ", "}<a href="${href}">${textOf("tenement_id")(tenement)}</a> (${textOf("state")(tenement)})`
  })
  return (
    links.length > 0 &&
    notice(
      "neutral",
      html`<p>No tenement has the number “${isolated(written)}”. The nearest numbers of its type: ${links}.</p>`,
    )
  )
}
