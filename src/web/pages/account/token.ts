/** `/account/tokens/:id`: a token's facts, and editing, rotating and revoking it. */
import { Elysia } from "elysia"
import { findOwnToken, type OwnToken } from "../../../accounts/access/token-list.ts"
import {
  editOwnToken,
  maxNameLength,
  revokeToken,
  rotateOwnToken,
} from "../../../accounts/access/tokens.ts"
import { hourMs } from "../../../system/text/time.ts"
import { formField, notice, panel } from "../kit/components.ts"
import { foreignForm, readForm } from "../kit/form.ts"
import { instantAgo, isolated, timeElement } from "../kit/format.ts"
import { attributes, type Content, type Html, html } from "../kit/html.ts"
import { isRecentSignIn, requireRecentSignIn, signedIn } from "../kit/page-context.ts"
import { notFound, readId, signInPath } from "../kit/page-error.ts"
import { redirect } from "../kit/page-response.ts"
import { type AccountOptions, accountPage } from "./account-page.ts"
import { formIdField, newTokenPage, readFormId, unconfirmedNotice } from "./new-token.ts"

export const tokenRoutes = (options: AccountOptions) => {
  const { accountPool, changeAccount, now } = options
  return new Elysia({ name: "token", prefix: "/account/tokens/:id" })
    .use(signedIn(options))
    .resolve(async ({ person, address, params: { id } }) => {
      const { accountId, email } = person
      const of = { accountId, tokenId: readId(id) }
      const token = await findOwnToken(accountPool, of, now())
      // Also if the token is another account's.
      if (!token) throw noToken(id)
      return { of, token, changer: { accountId, email, address } }
    })
    .get("", ({ person, query, token, page }) => {
      const mayRotate = isRecentSignIn(person, now())
      return page(tokenPage(token, mayRotate, query.saved !== undefined, now()))
    })
    .post("", async ({ request, changer, of, token }) => {
      const form = await readForm(request)
      const edited = { name: form.get("name"), forSpreadsheets: form.has("for_spreadsheets") }
      await changeAccount(changer, (editor) => editOwnToken(editor, { ...of, ...edited }))
      return redirect(`${tokenPath(token)}?saved`)
    })
    .post("/rotate", async ({ request, person, changer, of, token, publicUrl, page }) => {
      requireRecentSignIn(person, now(), tokenPath(token))
      const form = await readForm(request)
      const [grace, formId] = [form.get("grace"), readFormId(form)]
      if (!graces.some(({ value }) => value === grace)) throw foreignForm()
      const { value: made, unconfirmed } = await changeAccount(changer, (editor) =>
        rotateOwnToken(editor, { ...of, graceMs: Number(grace) * hourMs, now: now(), formId }),
      )
      const notices = [oldToken(made.replaced, made.until), unconfirmed !== 0 && unconfirmedNotice]
      return page(newTokenPage({ made, publicUrl, title: "Token rotated", notices }))
    })
    .post("/revoke", async ({ changer, of, token }) => {
      const { unconfirmed } = await changeAccount(changer, (editor) => revokeToken(editor, of))
      const query = new URLSearchParams({ revoked: token.prefix })
      if (unconfirmed !== 0) query.set("unconfirmed", "")
      return redirect(`/account/tokens?${query}`)
    })
}

const oldToken = (prefix: string, until: Date | null) =>
  notice(
    "good",
    html`The token that it replaces, <code>${prefix}…</code>, ${until === null ? "is revoked" : html`works until ${timeElement(until.toISOString())}`}.`,
  )

const noToken = (id: string) =>
  notFound(
    "token",
    id,
    "Your account has no token with this number.",
    html`<p><a class="button" href="/account/tokens">Go to your tokens</a></p>`,
  )

export const tokenPath = ({ id }: Pick<OwnToken, "id">): string => `/account/tokens/${id}`

export const prefixText = ({ prefix }: Pick<OwnToken, "prefix">): Html =>
  html`<code>${prefix}…</code>`

/** `3 hours ago`, or `never` */
export const lastUsedText = ({ lastUsedAt }: OwnToken, now: Date): Html =>
  lastUsedAt === null
    ? html`<span class="muted">never</span>`
    : // The column rounds to whole seconds, also up.
      instantAgo(lastUsedAt, Math.max(now.getTime(), Date.parse(lastUsedAt)))

/** Shown instead of a form that makes a token. */
export const signInAgain = (next: string): Html =>
  html`<p>A token gives access to your account's data, so this asks you to sign in again when that was more than an hour ago.</p>
<p><a class="button primary" href="${signInPath(next, "again")}">Sign in again</a></p>`

/** In hours. */
const graces = [
  { value: "0", label: "Not at all: revoke it now" },
  { value: "1", label: "1 hour" },
  { value: "24", label: "24 hours" },
  { value: "168", label: "7 days" },
]

export const nameField = (value: string, hint: string): Html =>
  formField({
    name: "name",
    label: "Name",
    hint,
    input: { value, required: true, maxlength: maxNameLength, autocomplete: "off" },
  })

export const spreadsheetsField = (checked: boolean): Html =>
  html`<div class="check"><input ${attributes({ type: "checkbox", id: "for_spreadsheets", name: "for_spreadsheets", value: "true", checked })}><label for="for_spreadsheets">For spreadsheets (counted separately)</label></div>`

/** @param mayRotate whether the person signed in recently enough */
const tokenPage = (token: OwnToken, mayRotate: boolean, isSaved: boolean, now: Date) =>
  accountPage({
    title: token.name,
    heading: isolated(token.name),
    lead: html`The API token ${prefixText(token)}, created ${timeElement(token.createdAt)}. Last used: ${lastUsedText(token, now)}. ${endSentence(token)}`,
    part: "/account/tokens",
    main: html`${isSaved && notice("good", html`Saved. <a href="/account/tokens">Back to your tokens</a>`, true)}
${token.isValid && [editing(token), rotation(token, mayRotate), revocation(token)]}
<p><a href="/account/tokens">All API tokens</a></p>`,
  })

function endSentence({ isValid, revokedAt, expiresAt }: OwnToken): Content {
  if (revokedAt !== null) return html`It was revoked at ${timeElement(revokedAt)}.`
  if (expiresAt === null) return "It does not expire."
  return html`It ${isValid ? "expires" : "expired"} at ${timeElement(expiresAt)}.`
}

const editing = (token: OwnToken): Html =>
  panel(
    "edit",
    "Edit",
    html`<form method="post" action="${tokenPath(token)}" class="fields form-narrow">
${nameField(token.name, "The token keeps working under a new name.")}
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
${formField({ name: "grace", label: "How long the old token still works", value: "24", choices: graces })}
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
