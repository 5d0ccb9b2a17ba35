/** `/account/usage`: the window now, the requests by hour, by day and by token, and the last requests. */
import { Elysia } from "elysia"
import { listOwnTokens, type OwnToken } from "../../access/token-list.ts"
import { withoutToken } from "../../db/account-tables.ts"
import { status, table } from "../kit/components.ts"
import { isolated, number } from "../kit/format.ts"
import { type Content, html } from "../kit/html.ts"
import { signedIn } from "../kit/page-context.ts"
import type { AccountOptions } from "./account-options.ts"
import { accountPage } from "./account-page.ts"
import { lastRequests } from "./last-requests.ts"
import { tokenPath } from "./token.ts"
import { usageChart } from "./usage-chart.ts"
import { windowPanel } from "./window-panel.ts"

export const usage = (options: AccountOptions) => {
  const { accountPool, usage, recentRequests, windows, now } = options
  return new Elysia({ name: "usage-page" })
    .use(signedIn(options))
    .get("/account/usage", async ({ person, page }) => {
      const { accountId } = person
      const [window, { hours, days, tokens: uses }, requests, tokens] = await Promise.all([
        windowPanel(windows, person),
        usage.overview(accountId, now()),
        recentRequests.last(accountId),
        listOwnTokens(accountPool, accountId, { now: now() }),
      ])
      const nameOf = (tokenId: number) => tokenName(tokenId, tokens)
      return page(
        accountPage({
          title: "Usage",
          lead: "The requests of your account, with all its tokens. All times are UTC. What other processes of the service have counted shows some seconds late.",
          part: "/account/usage",
          main: html`${window}
${usageChart({ id: "last-day", title: "Last 24 hours", periods: hours, unit: "hour" })}
${usageChart({ id: "last-30-days", title: "Last 30 days", periods: days, unit: "day" })}
<section class="stack" aria-labelledby="by-token"><h2 id="by-token">By token</h2>${table({
            caption: "Requests by token",
            columns: [
              { head: "Token", cell: ({ tokenId }) => nameOf(tokenId) },
              { head: "Last 24 hours", cell: ({ lastDay }) => number(lastDay), number: true },
              { head: "Last 30 days", cell: ({ last30Days }) => number(last30Days), number: true },
            ],
            rows: uses,
            empty: "No token was used in the last 30 days.",
          })}</section>
${lastRequests(requests, nameOf)}`,
        }),
      )
    })
}

function tokenName(tokenId: number, tokens: readonly OwnToken[]): Content {
  if (tokenId === withoutToken) return "Explorer"
  const token = tokens.find(({ id }) => id === tokenId)
  if (!token) return html`<span class="muted">a former token</span>`
  return html`<a href="${tokenPath(token)}">${isolated(token.name)}</a> ${token.forSpreadsheets && status("for spreadsheets")} ${token.revokedAt !== null && status("revoked")}`
}
