/** A new token, shown this one time. */
import type { MadeToken } from "../../access/tokens.ts"
import { copyable, notice, pageTitle } from "../kit/components.ts"
import { isolated } from "../kit/format.ts"
import { type Content, html } from "../kit/html.ts"
import type { PageResult } from "../kit/page-context.ts"
import { curlLine, sheetsFormula } from "./token-lines.ts"

export interface ShownToken {
  made: MadeToken
  publicUrl: string
  /** `Token created` */
  title: string
  /** What became of the token that it replaces, and the like. */
  notes?: Content
}

/** The page that answers the form itself: the token is neither stored nor sent anywhere else. */
export const tokenShownPage = ({ made, publicUrl, title, notes }: ShownToken): PageResult => ({
  title: made.token === null ? "Already done" : title,
  section: "account",
  scripts: ["copy.js"],
  main:
    made.token === null
      ? madeBefore(made, notes)
      : html`${pageTitle(title, html`“${isolated(made.name)}” can be used from now on.`)}
<div class="stack">
<section class="panel" aria-labelledby="new-token"><h2 id="new-token">Copy your token</h2>
<div class="secret">${copyable("token", made.token)}</div>
<p><strong>You won't see it again.</strong> Keep it where you keep passwords. In lists it is shown as <code>${made.prefix}…</code>.</p></section>
${notes}
<section class="panel" aria-labelledby="try"><h2 id="try">Try it</h2>
<p class="label">In a terminal</p>
${copyable("curl", curlLine(publicUrl, made.token))}
<p class="label">In a cell of Google Sheets</p>
${copyable("sheets", sheetsFormula(publicUrl, made.token))}</section>
<p><a class="button primary" href="/account/tokens">I have copied it</a></p>
</div>`,
})

const madeBefore = ({ name, prefix }: MadeToken, notes: Content) =>
  html`${pageTitle("Already done", html`This form was sent before, so no second token was created.`)}
<div class="stack">
${notice(
  "waiting",
  html`<p>It created “${isolated(name)}” (<code>${prefix}…</code>), which was shown that one time. If you have not copied it, revoke it and create another.</p>`,
  true,
)}
${notes}
<p><a class="button primary" href="/account/tokens">Go to API Tokens</a></p>
</div>`
