/** `/account`: the account at a glance, and how to use it. */
import { Elysia } from "elysia"
import { panel } from "../kit/components.ts"
import { html } from "../kit/html.ts"
import { signedIn } from "../kit/page-context.ts"
import type { AccountOptions } from "./account-options.ts"
import { accountPage } from "./account-page.ts"
import { windowPanel } from "./window-panel.ts"

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
<li>Send it as <code>Authorization: Bearer …</code>, or in a spreadsheet as <code>api_key</code>. The <a href="/docs">documentation</a> has more: paging, spreadsheets, limits.</li>
<li>See in <a href="/account/usage">Usage</a> that the request arrived.</li>
</ol>`,
)
