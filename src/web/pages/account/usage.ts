/** `/account/usage`: the rate limit, the requests by hour, by day and by token, and the last requests. */
import { STATUS_CODES } from "node:http"
import { Elysia } from "elysia"
import type { RecentRequest } from "../../../accounts/access/recent-requests.ts"
import { listOwnTokens, type OwnToken } from "../../../accounts/access/token-list.ts"
import { withoutToken } from "../../../data/db/account-tables.ts"
import { statusBadge, type Tone, table } from "../kit/components.ts"
import { count, isolated, number } from "../kit/format.ts"
import { type Content, type Html, html } from "../kit/html.ts"
import { signedIn } from "../kit/page-context.ts"
import { type AccountOptions, accountPage } from "./account-page.ts"
import { windowPanel } from "./summary.ts"
import { tokenPath } from "./token.ts"
import { usageChart } from "./usage-chart.ts"

export const usageRoutes = (options: AccountOptions) => {
  const { accountPool, usage, recentRequests, windows, now } = options
  return new Elysia({ name: "usage-page" })
    .use(signedIn(options))
    .get("/account/usage", async ({ person, page }) => {
      const { accountId } = person
      const [window, { hours, days, tokens: uses }, requests, tokens] = await Promise.all([
        windowPanel(windows, person),
        usage.overview(accountId, now()),
        recentRequests.last(accountId),
        listOwnTokens(accountPool, accountId, now()),
      ])
      const nameOf = (tokenId: number) => tokenName(tokenId, tokens)
      return page(
        accountPage({
          title: "Usage",
          lead: "The requests of your account, with all its tokens. All times are UTC. Counts may lag a few seconds.",
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
  return html`<a href="${tokenPath(token)}">${isolated(token.name)}</a> ${token.revokedAt !== null && statusBadge("revoked")}`
}

/** `429 Too Many Requests` */
function statusInWords(code: number): Html {
  const tone: Tone = code >= 500 ? "bad" : code >= 400 ? "waiting" : "good"
  return statusBadge(`${code} ${STATUS_CODES[code] ?? ""}`, tone)
}

const lastRequests = (
  requests: readonly RecentRequest[],
  tokenName: (tokenId: number) => Content,
): Html =>
  html`<section class="stack" aria-labelledby="last-requests"><h2 id="last-requests">Last requests</h2>
<p class="muted">Your last ${count(requests.length, "request")} (at most 100), by your programs and in the explorer.
To ask the operator about a request, quote its id.</p>
${table({
  caption: "Requests, the newest first",
  columns: [
    { head: "Time (UTC)", cell: ({ atMs }) => timeOf(atMs), fixed: true },
    { head: "Status", cell: ({ status: code }) => statusInWords(code), fixed: true },
    {
      head: "Request",
      cell: ({ method, target }) => html`<code>${method} ${target}</code>`,
      wide: true,
    },
    { head: "ms", cell: ({ ms }) => ms.toFixed(1), number: true },
    { head: "Token", cell: ({ tokenId }) => tokenName(tokenId) },
    { head: "Request id", cell: ({ requestId }) => html`<code>${requestId}</code>`, fixed: true },
  ],
  rows: requests,
  empty: "No request was made in the last 30 days.",
})}</section>`

function timeOf(ms: number): Html {
  const iso = new Date(ms).toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")}</time>`
}
