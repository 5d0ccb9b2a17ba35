/** The last requests of an account. */
import type { RecentRequest } from "../../access/recent-request-rows.ts"
import { status, type Tone, table } from "../kit/components.ts"
import { count } from "../kit/format.ts"
import { type Content, type Html, html } from "../kit/html.ts"

const words: Readonly<Record<number, string>> = {
  200: "OK",
  304: "not modified",
  400: "invalid parameter",
  401: "no valid token",
  404: "not found",
  405: "method not allowed",
  429: "limit reached",
  500: "failed here",
  503: "unavailable",
}

/** `429 limit reached` */
function statusInWords(code: number): Html {
  const tone: Tone = code >= 500 ? "bad" : code >= 400 ? "waiting" : "good"
  return status([code, words[code]].filter(Boolean).join(" "), tone)
}

export const lastRequests = (
  requests: readonly RecentRequest[],
  tokenName: (tokenId: number) => Content,
): Html =>
  html`<section class="stack" aria-labelledby="last-requests"><h2 id="last-requests">Last requests</h2>
<p class="muted">The last ${count(requests.length, "request")} of your programs and in the explorer, of at most 100. Give the operator the request id if you ask about one.</p>
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
    { head: "Token", cell: ({ tokenId }) => tokenName(tokenId) },
    {
      head: "Request id",
      cell: ({ requestId }) => html`<code class="request-id">${requestId}</code>`,
    },
  ],
  rows: requests,
  empty: "No request was made in the last 30 days.",
})}</section>`

function timeOf(ms: number): Html {
  const iso = new Date(ms).toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")}</time>`
}
