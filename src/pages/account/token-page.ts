/** The page of one token: its facts, and the forms that edit, rotate and revoke it. */
import type { OwnToken } from "../../access/token-list.ts"
import { maxNameLength } from "../../access/token-name.ts"
import { checkbox, field, notice, panel, select } from "../kit/components.ts"
import { instant, instantAgo, isolated } from "../kit/format.ts"
import { type Content, type Html, html } from "../kit/html.ts"
import { signInPath } from "../kit/page-error.ts"
import { accountPage } from "./account-page.ts"
import { formIdField } from "./new-token.ts"

export const tokenPath = ({ id }: Pick<OwnToken, "id">): string => `/account/tokens/${id}`

export const prefixText = ({ prefix }: Pick<OwnToken, "prefix">): Html =>
  html`<code>${prefix}…</code>`

/** `3 hours ago`, or `never` */
export const lastUsedText = ({ lastUsedAt }: OwnToken, now: Date): Html =>
  lastUsedAt === null
    ? html`<span class="muted">never</span>`
    : // The column rounds to whole seconds, also up.
      instantAgo(lastUsedAt, Math.max(now.getTime(), Date.parse(lastUsedAt)))

/** In place of a form that makes a token. */
export const signInAgain = (next: string): Html =>
  html`<p>A token gives access to your account's data, so this asks you to sign in again when that was more than an hour ago.</p>
<p><a class="button primary" href="${signInPath(next, "again")}">Sign in again</a></p>`

/** In hours. */
export const graces = [
  { value: "0", label: "Not at all: it is refused at once" },
  { value: "1", label: "1 hour" },
  { value: "24", label: "24 hours" },
  { value: "168", label: "7 days" },
]

export const nameField = (value: string, hint: string): Html =>
  field({
    name: "name",
    label: "Name",
    hint,
    input: { value, required: true, maxlength: maxNameLength, autocomplete: "off" },
  })

export const spreadsheetsField = (checked: boolean): Html =>
  checkbox("for_spreadsheets", "For spreadsheets: its use is shown apart", checked)

/** @param mayRotate whether the person signed in recently enough */
export const tokenPage = (token: OwnToken, mayRotate: boolean, isSaved: boolean, now: Date) =>
  accountPage({
    title: token.name,
    heading: isolated(token.name),
    lead: html`The API token ${prefixText(token)}, created ${instant(token.createdAt)}. Last used: ${lastUsedText(token, now)}. ${endSentence(token)}`,
    part: "/account/tokens",
    main: html`${isSaved && notice("good", "Saved.", true)}
${token.isValid && [editing(token), rotation(token, mayRotate), revocation(token)]}
<p><a href="/account/tokens">All API Tokens</a></p>`,
  })

function endSentence({ isValid, revokedAt, expiresAt }: OwnToken): Content {
  if (revokedAt !== null) return html`It was revoked at ${instant(revokedAt)}.`
  if (expiresAt === null) return "It does not expire."
  return html`It ${isValid ? "expires" : "expired"} at ${instant(expiresAt)}.`
}

const editing = (token: OwnToken): Html =>
  panel(
    "edit",
    "Edit",
    html`<form method="post" action="${tokenPath(token)}" class="fields form-narrow">
${nameField(token.name, "A new name changes nothing for those who use the token.")}
${spreadsheetsField(token.forSpreadsheets)}
<div><button class="primary">Save</button></div>
</form>`,
  )

function rotation(token: OwnToken, mayRotate: boolean): Html {
  if (token.replacedAt !== null) {
    return panel("rotate", "Rotate", html`<p>It was rotated: its successor is in the list.</p>`)
  }
  const form = html`<form method="post" action="${tokenPath(token)}/rotate" class="fields form-narrow">
${formIdField()}
${select({ name: "grace", label: "How long the old token still works", value: "24", choices: graces })}
<div><button>Rotate ${token.prefix}</button></div>
</form>`
  return panel(
    "rotate",
    "Rotate",
    html`<p>You get a new token of the same name, purpose and lifetime. The old one stays valid as long as you choose, but not beyond its own expiry.</p>
${mayRotate ? form : signInAgain(tokenPath(token))}`,
  )
}

const revocation = (token: OwnToken): Html =>
  panel(
    "revoke",
    "Revoke",
    html`<p>Requests with this token get 401 from the next one on. This can't be undone.</p>
<form method="post" action="${tokenPath(token)}/revoke"><button class="danger">Revoke ${token.prefix}</button></form>`,
  )
