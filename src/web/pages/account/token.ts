/** `/account/tokens/:id`: a token's facts, and renaming and revoking it. */
import { Elysia } from "elysia"
import { findOwnToken, type OwnToken } from "../../../accounts/access/token-list.ts"
import { maxNameLength, renameOwnToken, revokeToken } from "../../../accounts/access/tokens.ts"
import { formField, notice, panel } from "../kit/components.ts"
import { readForm } from "../kit/form.ts"
import { instantAgo, isolated, timeElement } from "../kit/format.ts"
import { type Content, type Html, html } from "../kit/html.ts"
import { signedIn } from "../kit/page-context.ts"
import { readId } from "../kit/page-error.ts"
import { redirect } from "../kit/page-response.ts"
import { type AccountOptions, accountPage, noOwn } from "./account-page.ts"

export const tokenRoutes = (options: AccountOptions) => {
  const { accountPool, changeAccount, now } = options
  return new Elysia({ name: "token", prefix: "/account/tokens/:id" })
    .use(signedIn(options))
    .resolve(async ({ person, address, params: { id } }) => {
      const of = { accountId: person.accountId, tokenId: readId(id) }
      const token = await findOwnToken(accountPool, of, now())
      if (!token) throw noOwn("token", id)
      return { of, token, changer: { ...person, address } }
    })
    .get("", ({ query, token, page }) => page(tokenPage(token, query.saved !== undefined, now())))
    .post("", async ({ request, changer, of, token }) => {
      const name = (await readForm(request)).get("name")
      await changeAccount(changer, (editor) => renameOwnToken(editor, { ...of, name }))
      return redirect(`${tokenPath(token)}?saved`)
    })
    .post("/revoke", async ({ changer, of, token }) => {
      const { unconfirmed } = await changeAccount(changer, (editor) => revokeToken(editor, of))
      const query = new URLSearchParams({ revoked: token.prefix })
      if (unconfirmed !== 0) query.set("unconfirmed", "")
      return redirect(`/account/tokens?${query}`)
    })
}

export const tokenPath = ({ id }: Pick<OwnToken, "id">): string => `/account/tokens/${id}`

export const prefixText = ({ prefix }: Pick<OwnToken, "prefix">): Html =>
  html`<code>${prefix}…</code>`

/** `3 hours ago`; `never` for null */
export const agoText = (iso: string | null, now: Date, never = "never"): Html =>
  iso === null
    ? html`<span class="muted">${never}</span>`
    : // The column rounds to whole seconds, also up.
      instantAgo(iso, Math.max(now.getTime(), Date.parse(iso)))

export const nameField = (value: string, hint: string): Html =>
  formField({
    name: "name",
    label: "Name",
    hint,
    value,
    input: { required: true, maxlength: maxNameLength, autocomplete: "off" },
  })

const tokenPage = (token: OwnToken, isSaved: boolean, now: Date) =>
  accountPage({
    title: token.name,
    heading: isolated(token.name),
    lead: html`The API token ${prefixText(token)}, created ${timeElement(token.createdAt)}.
Last used: ${agoText(token.lastUsedAt, now)}. ${endSentence(token)}`,
    part: "/account/tokens",
    main: html`${isSaved && notice("good", html`Saved. <a href="/account/tokens">Back to your tokens</a>`, true)}
${token.isValid && [renaming(token), revocation(token)]}
<p><a href="/account/tokens">All API tokens</a></p>`,
  })

function endSentence({ isValid, revokedAt, expiresAt }: OwnToken): Content {
  if (revokedAt !== null) return html`It was revoked at ${timeElement(revokedAt)}.`
  if (expiresAt === null) return "It does not expire."
  return html`It ${isValid ? "expires" : "expired"} at ${timeElement(expiresAt)}.`
}

const renaming = (token: OwnToken): Html =>
  panel(
    "rename",
    "Rename",
    html`<form method="post" action="${tokenPath(token)}" class="fields form-narrow">
${nameField(token.name, "The token keeps working under a new name.")}
<div><button class="primary">Save</button></div>
</form>`,
  )

const revocation = (token: OwnToken): Html =>
  panel(
    "revoke",
    "Revoke",
    html`<p>Requests with this token get 401 from the next one on. This can't be undone.</p>
<form method="post" action="${tokenPath(token)}/revoke"><button class="danger">Revoke ${token.prefix}</button></form>`,
  )
