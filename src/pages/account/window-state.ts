/** Where the window of an account stands, in figures and in a sentence. */
import type { SignedIn } from "../../access/sessions.ts"
import type { WindowState, Windows } from "../../access/windows.ts"
import { toResetSeconds } from "../../http/rate-limit-headers.ts"
import { number } from "../kit/format.ts"
import { attributes, type Html, html } from "../kit/html.ts"

/** Without counting against it. */
export const readWindow = async (
  windows: Windows,
  { accountId, limit }: Pick<SignedIn, "accountId" | "limit">,
): Promise<WindowState> => windows.accounts.peek(String(accountId), limit)

export function windowState(
  { limit, remaining, resetAtMs }: WindowState,
  { plan }: Pick<SignedIn, "plan">,
): Html {
  if (!Number.isFinite(limit)) {
    return html`<p>The ${plan} plan has no limit.</p>`
  }
  const used = limit - remaining
  return html`<dl class="figures">
<div><dt>Used in the last hour</dt><dd>${number(used)}</dd></div>
<div><dt>Remaining now</dt><dd>${number(remaining)}</dd></div>
<div><dt>Limit per hour</dt><dd>${number(limit)}</dd></div>
</dl>
<svg class="share" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="rest" width="100" height="4"/><rect ${attributes({ width: Math.min(100, Math.round((used / limit) * 1000) / 10), height: 4 })}/></svg>
<p class="muted">${moves({ used, remaining, resetAtMs })}</p>`
}

function moves({
  used,
  remaining,
  resetAtMs,
}: {
  used: number
  remaining: number
  resetAtMs: number
}) {
  if (used === 0) return "No request was counted in the last hour. The window moves continuously."
  const time = new Date(toResetSeconds(resetAtMs) * 1000).toISOString().slice(11, 19)
  return remaining === 0
    ? `The limit is reached: requests are answered with 429. From ${time} UTC on, the oldest one no longer counts.`
    : `The window moves continuously: from ${time} UTC on, the oldest request no longer counts.`
}
