/** `/account`: the rate limit, and the first steps with the API. */
import { Elysia } from "elysia"
import type { SignedIn } from "../../../accounts/access/sessions.ts"
import type { Windows } from "../../../accounts/access/windows.ts"
import { toResetSeconds, type WindowState } from "../../../api/http/rate-limit-headers.ts"
import { panel } from "../kit/components.ts"
import { number } from "../kit/format.ts"
import { attributes, type Html, html } from "../kit/html.ts"
import { signedIn } from "../kit/page-context.ts"
import { type AccountOptions, accountPage } from "./account-page.ts"

export const summary = (options: AccountOptions) =>
  new Elysia({ name: "account-summary" })
    .use(signedIn(options))
    .get("/account", async ({ person, page }) =>
      page(
        accountPage({
          title: "Account",
          lead: html`${person.email}, on the ${person.plan} plan.`,
          part: "/account",
          main: html`<div class="columns">${await windowPanel(options.windows, person)}${steps}</div>`,
        }),
      ),
    )

const steps = panel(
  "steps",
  "Use the API",
  html`<ol class="steps">
<li><a href="/account/tokens">Create an API token</a>. It is shown once, with a line to try it with.</li>
<li>Send it as <code>Authorization: Bearer …</code>, or in a spreadsheet as <code>api_key</code>.
The <a href="/docs">documentation</a> has more: paging, spreadsheets, limits.</li>
<li>Check it in <a href="/account/usage">Usage</a>.</li>
</ol>`,
)

/** Reads the window without counting a request. */
export async function windowPanel(
  windows: Windows,
  { accountId, plan, limit }: SignedIn,
): Promise<Html> {
  const state = await windows.accounts.peek(String(accountId), limit)
  const noLimit = html`<p>The ${plan} plan has no limit.</p>`
  return panel("window", "Rate limit", Number.isFinite(limit) ? figures(state) : noLimit)
}

function figures({ limit, remaining, resetAtMs }: WindowState): Html {
  const used = limit - remaining
  const share = Math.min(100, Math.round((used / limit) * 1000) / 10)
  return html`<dl class="figures">
<div><dt>Used in the last hour</dt><dd>${number(used)}</dd></div>
<div><dt>Remaining now</dt><dd>${number(remaining)}</dd></div>
<div><dt>Limit per hour</dt><dd>${number(limit)}</dd></div>
</dl>
<svg class="share" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
<rect class="rest" width="100" height="4"/><rect ${attributes({ width: share, height: 4 })}/>
</svg>
<p class="muted">${nextChange(used, remaining, resetAtMs)}</p>
<p class="muted">Requests of your programs count, and so do pages and downloads of the
<a href="/explore">explorer</a>. Results shown while you type do not count.</p>`
}

function nextChange(used: number, remaining: number, resetAtMs: number): string {
  if (used === 0) return "No request was counted in the last hour. The window moves continuously."
  const time = new Date(toResetSeconds(resetAtMs) * 1000).toISOString().slice(11, 19)
  return remaining === 0
    ? `The limit is reached: the service rejects requests with 429. Next request freed at ${time} UTC.`
    : `The window moves continuously. Next request freed at ${time} UTC.`
}
