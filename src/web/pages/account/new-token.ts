/** Shared by creating and rotating a token: the form's id, and the page that shows the token. */
import type { MadeToken } from "../../../accounts/access/tokens.ts"
import { copyable, hidden, notice, panel } from "../kit/components.ts"
import { type Form, foreignForm } from "../kit/form.ts"
import { isolated } from "../kit/format.ts"
import { type Content, type Html, html } from "../kit/html.ts"
import { accountPage } from "./account-page.ts"

/** Identifies a form, so that repeated submissions make one token. */
export const formIdField = (entered?: Form): Html =>
  hidden("form", entered?.get("form") || crypto.randomUUID())

/** @throws PageError */
export function readFormId(form: Form): string {
  const id = form.get("form")
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id
  throw foreignForm()
}

/** Shown if some processes of the service have not confirmed a change in time. */
export const unconfirmedNotice = notice(
  "waiting",
  "Part of the service has not confirmed the change yet. There it takes effect within 30 seconds.",
)

const tried = "/api/v1/companies"

export interface NewTokenPage {
  made: MadeToken
  publicUrl: string
  /** `Token created` */
  title: string
  /** Such as how long the replaced token stays valid. */
  notices: Content
}

/** The response to the form itself: the token is neither stored nor sent anywhere else. */
export function newTokenPage({ made, publicUrl, title, notices }: NewTokenPage) {
  const { token, name, prefix } = made
  if (token === null) return alreadyMade(made, notices)
  const curl = `curl -H 'Authorization: Bearer ${token}' '${publicUrl}${tried}?per_page=5'`
  const formula = `=IMPORTDATA("${publicUrl}${tried}?format=csv&per_page=5&api_key=${token}")`
  return accountPage({
    title,
    lead: html`“${isolated(name)}” can be used from now on.`,
    scripts: ["copy.js"],
    main: html`${panel(
      "new-token",
      "Copy your token",
      html`${copyable("token", token)}
<p><strong>You won't see it again.</strong> Keep it where you keep passwords. In lists it is shown as <code>${prefix}…</code>.</p>`,
    )}
${notices}
${panel(
  "try",
  "Try it",
  html`<p>In a terminal</p>
${copyable("curl", curl)}
<p>In a cell of Google Sheets</p>
${copyable("sheets", formula)}
${isLocal(publicUrl) && html`<p class="hint">Google cannot reach ${new URL(publicUrl).hostname}: the formula works where the service has a public address.</p>`}`,
)}
<p><a class="button primary" href="/account/tokens">I have copied it</a></p>`,
  })
}

const isLocal = (url: string): boolean =>
  ["localhost", "127.0.0.1", "[::1]"].includes(new URL(url).hostname)

const alreadyMade = ({ name, prefix }: MadeToken, notices: Content) =>
  accountPage({
    title: "Already done",
    lead: "This form was sent before, so no second token was created.",
    main: html`${notice(
      "waiting",
      html`<p>It created “${isolated(name)}” (<code>${prefix}…</code>), which was shown that one time. If you have not copied it, revoke it and create another.</p>`,
      true,
    )}
${notices}
<p><a class="button primary" href="/account/tokens">Manage tokens</a></p>`,
  })
