/** The page that shows a new token. */
import type { MadeToken } from "../../../accounts/access/tokens.ts"
import { copyable, notice, panel } from "../kit/components.ts"
import { isolated } from "../kit/format.ts"
import { type Html, html } from "../kit/html.ts"
import { accountPage } from "./account-page.ts"

/** Shown if some processes of the service have not confirmed a change in time. */
export const unconfirmedNotice = notice(
  "waiting",
  "Part of the service has not confirmed the change yet. There it takes effect within 30 seconds.",
)

const tried = "/api/v1/companies"

export interface NewTokenPage {
  made: MadeToken
  publicUrl: string
  /** Whether every process of the service has confirmed the token. */
  isConfirmed: boolean
}

/** The response to the form itself: the token is neither stored nor sent anywhere else. */
export function newTokenPage({ made, publicUrl, isConfirmed }: NewTokenPage) {
  const { token, name, prefix } = made
  const curl = `curl -H 'Authorization: Bearer ${token}' '${publicUrl}${tried}?per_page=5'`
  const formula = `=IMPORTDATA("${publicUrl}${tried}?format=csv&per_page=5&api_key=${token}")`
  return accountPage({
    title: "Token created",
    lead: html`“${isolated(name)}” can be used from now on.`,
    scripts: ["copy.js"],
    main: html`${panel(
      "new-token",
      "Copy your token",
      html`${copyable("token", token)}
<p><strong>You won't see it again.</strong> Keep it where you keep passwords. In lists it is shown as <code>${prefix}…</code>.</p>`,
    )}
${!isConfirmed && unconfirmedNotice}
${panel(
  "try",
  "Try it",
  html`<p>In a terminal</p>
${copyable("curl", curl)}
<p>In a cell of Google Sheets</p>
${copyable("sheets", formula)}
${isLocal(publicUrl) && unreachable(publicUrl)}`,
)}
<p><a class="button primary" href="/account/tokens">I have copied it</a></p>`,
  })
}

const unreachable = (url: string): Html =>
  html`<p class="hint">Google cannot reach ${new URL(url).hostname}: the formula works where
the service has a public address.</p>`

const isLocal = (url: string): boolean =>
  ["localhost", "127.0.0.1", "[::1]"].includes(new URL(url).hostname)
