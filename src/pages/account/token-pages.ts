/** The pages of one token. */
import type { OwnToken } from "../../access/token-list.ts"
import { maxNameLength } from "../../access/token-name.ts"
import type { MadeByRotation } from "../../access/tokens.ts"
import { checkbox, field, notice, pageTitle, select } from "../kit/components.ts"
import { instant, instantAgo, isolated } from "../kit/format.ts"
import { type Content, type Html, html } from "../kit/html.ts"
import type { PageResult } from "../kit/page-context.ts"
import { accountTabs } from "./account-tabs.ts"
import { formIdField, unconfirmedNotice } from "./changes.ts"
import { lastUsedText, prefixText, tokenPath } from "./token-table.ts"

interface ShownPage {
  token: OwnToken
  now: Date
  /** Why what was sent was refused. */
  fault?: string
}

const refusal = (fault: string | undefined): Content => fault && notice("bad", fault, true)

const framed = (title: string, heading: Content, main: Content): PageResult => ({
  title,
  section: "account",
  main: html`${heading}
${accountTabs("/account/tokens")}
<div class="stack">${main}</div>`,
})

export interface EnteredEdit {
  name: string
  forSpreadsheets: boolean
}

export function tokenPage(
  shown: ShownPage & { isSaved?: boolean; entered?: EnteredEdit },
): PageResult {
  const { token, now, fault, isSaved = false, entered = token } = shown
  return framed(
    token.name,
    pageTitle(
      isolated(token.name),
      html`The API token ${prefixText(token)}. Renaming it changes nothing for those who use it.`,
    ),
    html`${isSaved && notice("good", "Saved.", true)}
${refusal(fault)}
<section class="panel" aria-labelledby="facts"><h2 id="facts">About this token</h2>${facts(token, now)}</section>
${
  token.isValid &&
  html`<section class="panel" aria-labelledby="edit"><h2 id="edit">Edit</h2>
<form method="post" action="${tokenPath(token)}" class="fields form-narrow">
${field({ name: "name", label: "Name", input: { value: entered.name, required: true, maxlength: maxNameLength, autocomplete: "off" } })}
${checkbox({ name: "for_spreadsheets", label: "For spreadsheets: its use is shown apart", checked: entered.forSpreadsheets })}
<div><button class="primary">Save</button></div>
</form></section>
<section class="panel" aria-labelledby="replace"><h2 id="replace">Replace or end it</h2>
<p>${
    token.replacedAt === null
      ? "Rotating gives you a new token of the same name, and time to put it in place of this one."
      : "It was rotated, and its successor is among your tokens."
  } Revoking refuses this one from the next request on.</p>
<p class="row">${token.replacedAt === null && html`<a class="button" href="${tokenPath(token)}/rotate">Rotate</a> `}<a class="button" href="${tokenPath(token)}/revoke">Revoke</a></p></section>`
}
<p><a href="/account/tokens">All API Tokens</a></p>`,
  )
}

const facts = (token: OwnToken, now: Date): Html => {
  const { prefix, createdAt, expiresAt, revokedAt, replacedAt } = token
  return html`<dl class="facts">
<dt>Begins with</dt><dd><code>${prefix}</code></dd>
<dt>Created</dt><dd>${instant(createdAt)}</dd>
<dt>Last used</dt><dd>${lastUsedText(token, now)}</dd>
<dt>Expires</dt><dd>${expiresAt === null ? "never" : html`${instant(expiresAt)} (${instantAgo(expiresAt, now.getTime())})`}</dd>
${replacedAt !== null && html`<dt>Rotated</dt><dd>${instant(replacedAt)}</dd>`}
${revokedAt !== null && html`<dt>Revoked</dt><dd>${instant(revokedAt)}</dd>`}
</dl>`
}

/** In hours. */
export const graces = [
  { value: "0", label: "Not at all: it is refused at once" },
  { value: "1", label: "1 hour" },
  { value: "24", label: "24 hours" },
  { value: "168", label: "7 days" },
] as const

export function rotatePage(shown: ShownPage & { graceFault?: string }): PageResult {
  const { token, fault, graceFault } = shown
  return framed(
    `Rotate ${token.name}`,
    pageTitle(
      html`Rotate “${isolated(token.name)}”`,
      html`You get a new token of the same name, purpose and lifetime. The old one, ${prefixText(token)}, stays valid as long as you choose, but not beyond its own expiry.`,
    ),
    html`${refusal(fault)}
<form method="post" action="${tokenPath(token)}/rotate" class="panel fields form-narrow">
${formIdField()}
${select({ name: "grace", label: "How long the old token still works", value: "24", choices: graces, fault: graceFault })}
<div class="row"><button class="primary">Rotate ${token.prefix}</button> <a class="button quiet" href="/account/tokens">Cancel</a></div>
</form>`,
  )
}

/** What became of the old token. */
export function rotatedNotes({ replaced, until }: MadeByRotation, isConfirmed: boolean): Content {
  const old = html`<code>${replaced}…</code>`
  return [
    until === null
      ? notice("good", html`The token that it replaces, ${old}, is refused from now on.`)
      : notice(
          "good",
          html`The token that it replaces, ${old}, works until ${instant(until.toISOString())}.`,
        ),
    unconfirmedNotice(isConfirmed),
  ]
}

export function revokePage(shown: ShownPage): PageResult {
  const { token, now, fault } = shown
  const { lastUsedAt, name, prefix } = token
  return framed(
    `Revoke ${name}`,
    pageTitle(
      html`Revoke “${isolated(name)}”`,
      html`Whatever uses ${prefixText(token)} is answered with 401 from the next request on. This can't be undone.`,
    ),
    html`${refusal(fault)}
<form method="post" action="${tokenPath(token)}/revoke" class="panel">
<p>${lastUsedAt === null ? "It was never used." : html`It was last used ${lastUsedText(token, now)}.`}</p>
<div class="row"><button class="danger">Revoke ${prefix}</button> <a class="button quiet" href="/account/tokens">Cancel</a></div>
</form>`,
  )
}
