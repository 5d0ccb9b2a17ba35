/** The page of usage. */

import type { RecentRequest } from "../../access/recent-request-rows.ts"
import type { SignedIn } from "../../access/sessions.ts"
import type { OwnToken } from "../../access/token-list.ts"
import type { UsageOverview } from "../../access/usage-overview.ts"
import type { TokenUse } from "../../access/usage-rows.ts"
import type { WindowState } from "../../access/windows.ts"
import { withoutToken } from "../../db/account-tables.ts"
import { pageTitle, status, table } from "../kit/components.ts"
import { count, isolated, number } from "../kit/format.ts"
import { attributes, type Content, type Html, html } from "../kit/html.ts"
import type { PageResult } from "../kit/page-context.ts"
import { accountTabs } from "./account-tabs.ts"
import { classes, classOf, type StatusClass, statusInWords } from "./request-status.ts"
import { tokenPath } from "./token-table.ts"
import { dayLabel, hourLabel, usageChart } from "./usage-chart.ts"
import { windowState } from "./window-state.ts"

export interface UsagePage {
  person: SignedIn
  window: WindowState
  overview: UsageOverview
  requests: readonly RecentRequest[]
  tokens: readonly OwnToken[]
  /** Which of the last requests are shown. */
  chosen: StatusClass
}

export function usagePage(shown: UsagePage): PageResult {
  const { person, window, overview, requests, tokens, chosen } = shown
  return {
    title: "Usage",
    section: "account",
    main: html`${pageTitle("Usage", "The requests of your account, with all its tokens. All times are UTC. What other processes of the service have counted shows some seconds late.")}
${accountTabs("/account/usage")}
<div class="stack">
<section class="panel" aria-labelledby="window"><h2 id="window">Your window now</h2>${windowState(window, person)}
<p class="muted">Requests of your programs count, and so do pages and downloads of the <a href="/explore">explorer</a>. Results that the explorer shows while you type do not.</p></section>
${usageCharts(overview)}
<section class="stack" aria-labelledby="by-token"><h2 id="by-token">By token</h2>${tokenUses(overview.tokens, tokens)}</section>
${lastRequests(requests, { tokens, chosen })}
</div>`,
  }
}

export const usageCharts = ({ hours, days }: UsageOverview): Html =>
  html`${usageChart({ id: "last-day", title: "Last 24 hours", periods: hours, label: hourLabel, unit: "hour" })}
${usageChart({ id: "last-30-days", title: "Last 30 days", periods: days, label: dayLabel, unit: "day" })}`

/** More than anyone reads; the rest is in the charts. */
const shownTokens = 100

export const tokenUses = (uses: readonly TokenUse[], tokens: readonly OwnToken[]): Html =>
  html`${table({
    caption: "Requests by token",
    columns: [
      { head: "Token", cell: ({ tokenId }) => tokenName(tokenId, tokens) },
      { head: "Last 24 hours", cell: ({ lastDay }) => number(lastDay), number: true },
      { head: "Last 30 days", cell: ({ last30Days }) => number(last30Days), number: true },
    ],
    rows: uses.slice(0, shownTokens),
    empty: "No token was used in the last 30 days.",
  })}${uses.length > shownTokens && html`<p class="muted">The ${shownTokens} most used are shown, of ${number(uses.length)}.</p>`}`

function tokenName(tokenId: number, tokens: readonly OwnToken[]): Content {
  if (tokenId === withoutToken) return "Explorer"
  const token = tokens.find(({ id }) => id === tokenId)
  if (!token) return html`<span class="muted">a former token</span>`
  return html`<a href="${tokenPath(token)}">${isolated(token.name)}</a> ${token.forSpreadsheets && status("for spreadsheets")} ${token.revokedAt !== null && status("revoked")}`
}

function lastRequests(
  requests: readonly RecentRequest[],
  { tokens, chosen }: Pick<UsagePage, "tokens" | "chosen">,
): Html {
  const rows = requests.filter(({ status }) => chosen === "" || classOf(status) === chosen)
  return html`<section class="stack" aria-labelledby="last-requests" id="requests"><h2 id="last-requests">Last requests</h2>
<p class="muted">The last ${count(requests.length, "request")} of your programs and in the explorer, of at most 100. Give the operator the request id if you ask about one.</p>
<nav aria-label="Requests by status"><ul class="tabs">${classes.map(
    ({ name, label }) =>
      html`<li><a ${attributes({ href: `/account/usage${name && `?status=${name}`}#requests`, "aria-current": name === chosen && "true" })}>${label}</a></li>`,
  )}</ul></nav>
${table({
  caption: "Requests, the newest first",
  columns: [
    { head: "Time (UTC)", cell: ({ atMs }) => timeOf(atMs), fixed: true },
    { head: "Status", cell: ({ status: code }) => statusInWords(code), fixed: true },
    {
      head: "Request",
      cell: ({ method, target }) => html`<code class="request-target">${method} ${target}</code>`,
    },
    { head: "ms", cell: ({ ms }) => ms.toFixed(1), number: true },
    {
      head: "Token",
      cell: ({ tokenId }) => tokenName(tokenId, tokens),
    },
    {
      head: "Request id",
      cell: ({ requestId }) => html`<code class="request-id">${requestId}</code>`,
    },
  ],
  rows,
  empty:
    requests.length === 0
      ? "No request was made in the last 30 days."
      : "None of the last requests has such a status.",
})}</section>`
}

const timeOf = (ms: number): Html => {
  const iso = new Date(ms).toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")}</time>`
}
