/** `/account`: the account at a glance, and the ways on. */
import { Elysia } from "elysia"
import { listOwnTokens } from "../../access/token-list.ts"
import { panel } from "../kit/components.ts"
import { html } from "../kit/html.ts"
import { signedIn } from "../kit/page-context.ts"
import type { AccountOptions } from "./account-options.ts"
import { accountPage } from "./account-page.ts"
import { windowPanel } from "./window-panel.ts"

export const summary = (options: AccountOptions) => {
  const { accountPool, windows, now } = options
  return new Elysia({ name: "account-summary" })
    .use(signedIn(options))
    .get("/account", async ({ person, page }) => {
      const [window, valid] = await Promise.all([
        windowPanel(windows, person),
        listOwnTokens(accountPool, person.accountId, { now: now(), ended: 0 }),
      ])
      return page(
        accountPage({
          title: "Account",
          lead: html`${person.email}, on the ${person.plan} plan.`,
          part: "/account",
          main: html`${valid.length === 0 && firstSteps}
<div class="columns">${window}${waysOn}</div>`,
        }),
      )
    })
}

const firstSteps = panel(
  "first-steps",
  "First steps",
  html`<ol class="steps">
<li><a href="/account/tokens">Create an API token</a>. It is shown once, with a line to try it with.</li>
<li>Send it as <code>Authorization: Bearer …</code>, or in a spreadsheet as <code>api_key</code>.</li>
<li>See in <a href="/account/usage">Usage</a> that the request arrived.</li>
</ol>`,
)

const waysOn = panel(
  "ways-on",
  "Ways on",
  html`<ul class="plain">
<li><a href="/account/tokens">API Tokens</a>: create, rotate and revoke them</li>
<li><a href="/account/usage">Usage</a>: requests by hour, by day and by token, and the last ones</li>
<li><a href="/explore">Explore the data</a> as tables, and take any view into a spreadsheet or a script</li>
<li><a href="/docs">Read the documentation</a>: first request, paging, spreadsheets, limits</li>
</ul>`,
)
