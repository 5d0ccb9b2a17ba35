/** The tenements with the nearest numbers, for a number that none has. */
import { notice } from "../../kit/components.ts"
import { isolated } from "../../kit/format.ts"
import { type Content, html } from "../../kit/html.ts"
import type { Visit } from "../visit.ts"
import { textOf } from "./cells.ts"
import { linksAt } from "./list-address.ts"
import { recordPathOf } from "./list-view.ts"
import { tenementsView } from "./tenement-views.ts"

/**
 * False without such tenements.
 * @param state the state of the number, if it is known
 */
export async function nearestNotice(
  visit: Visit,
  written: string,
  state?: string,
): Promise<Content> {
  const links = (await visit.nearestNumbers(written, state)).map((tenement, index) => {
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
