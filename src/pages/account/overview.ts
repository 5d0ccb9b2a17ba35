/** The account at a glance, and the ways on. */
import { Elysia } from "elysia"
import type { SignedIn } from "../../access/sessions.ts"
import { listOwnTokens, type OwnToken } from "../../access/token-list.ts"
import type { WindowState } from "../../access/windows.ts"
import { pageTitle } from "../kit/components.ts"
import { count, isolated } from "../kit/format.ts"
import { type Html, html } from "../kit/html.ts"
import { type PageResult, signedIn } from "../kit/page-context.ts"
import { accountTabs } from "./account-tabs.ts"
import type { AreaOptions } from "./area-options.ts"
import { lastUsedText, prefixText, tokenPath } from "./token-table.ts"
import { readWindow, windowState } from "./window-state.ts"

export const accountOverview = (options: AreaOptions) => {
  const { accountPool, windows, now } = options
  return new Elysia({ name: "account-overview" })
    .use(signedIn(options))
    .get("/account", async ({ person, page }) => {
      const [window, tokens] = await Promise.all([
        readWindow(windows, person),
        listOwnTokens(accountPool, person.accountId, { now: now() }),
      ])
      return page(overviewPage({ person, window, tokens, now: now() }))
    })
}

interface OverviewPage {
  person: SignedIn
  window: WindowState
  tokens: readonly OwnToken[]
  now: Date
}

function overviewPage({ person, window, tokens, now }: OverviewPage): PageResult {
  const valid = tokens.filter(({ isValid }) => isValid)
  return {
    title: "Account",
    section: "account",
    main: html`${pageTitle("Account", html`${person.email}, on the ${person.plan} plan.`)}
${accountTabs("/account")}
<div class="stack">
${valid.length === 0 && firstSteps}
<div class="columns">
<section class="panel" aria-labelledby="window"><h2 id="window">Your window now</h2>${windowState(window, person)}
<p><a href="/account/usage">Usage and last requests</a></p></section>
${valid.length > 0 && tokensInShort(valid, now)}
</div>
${waysOn}
</div>`,
  }
}

const firstSteps = html`<section class="panel" aria-labelledby="first-steps"><h2 id="first-steps">First steps</h2>
<ol class="steps">
<li><a href="/account/tokens">Create an API token</a>. It is shown once, with a line to try it with.</li>
<li>Send it as <code>Authorization: Bearer …</code>, or in a spreadsheet as <code>api_key</code>.</li>
<li>See in <a href="/account/usage">Usage</a> that the request arrived.</li>
</ol></section>`

/** The last used come first. */
function tokensInShort(valid: readonly OwnToken[], now: Date): Html {
  const used = valid.toSorted((a, b) => (b.lastUsedAt ?? "").localeCompare(a.lastUsedAt ?? ""))
  return html`<section class="panel" aria-labelledby="tokens"><h2 id="tokens">API Tokens</h2>
<p>${count(valid.length, "token")} can be used.</p>
<ul class="plain">${used
    .slice(0, 3)
    .map(
      (token) =>
        html`<li><a href="${tokenPath(token)}">${isolated(token.name)}</a> ${prefixText(token)} <span class="muted">last used: ${lastUsedText(token, now)}</span></li>`,
    )}</ul>
<p><a class="button" href="/account/tokens">API Tokens</a></p></section>`
}

const waysOn = html`<section class="panel" aria-labelledby="ways-on"><h2 id="ways-on">Ways on</h2>
<ul class="plain">
<li><a href="/explore">Explore the data</a> as tables, and take any view into a spreadsheet or a script</li>
<li><a href="/docs">Read the documentation</a>: first request, paging, spreadsheets, limits</li>
<li><a href="/account/audit">Audit</a>: what was changed in this account, when, and from where</li>
</ul></section>`
