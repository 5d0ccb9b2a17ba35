/** `/account/tokens/:id`: editing, rotating and revoking a token. */
import { Elysia } from "elysia"
import { findOwnToken } from "../../access/token-list.ts"
import { editOwnToken, revokeToken, rotateOwnToken } from "../../access/tokens.ts"
import { hourMs } from "../../text/durations.ts"
import { notice } from "../kit/components.ts"
import { foreignForm, readForm } from "../kit/form.ts"
import { instant } from "../kit/format.ts"
import { html } from "../kit/html.ts"
import { isRecentSignIn, requireRecentSignIn, signedIn } from "../kit/page-context.ts"
import { notFound, readId } from "../kit/page-error.ts"
import { redirect } from "../kit/page-response.ts"
import type { AccountOptions } from "./account-options.ts"
import { newTokenPage, readFormId, unconfirmedNotice } from "./new-token.ts"
import { graces, tokenPage, tokenPath } from "./token-page.ts"

export const token = (options: AccountOptions) => {
  const { accountPool, changeAccount, now } = options
  return new Elysia({ name: "token", prefix: "/account/tokens/:id" })
    .use(signedIn(options))
    .resolve(async ({ person, address, params: { id } }) => {
      const { accountId, email } = person
      const of = { accountId, tokenId: readId(id) }
      const token = await findOwnToken(accountPool, of, now())
      // Also where it is another account's.
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
    html`The token that it replaces, <code>${prefix}…</code>, ${until === null ? "is refused from now on" : html`works until ${instant(until.toISOString())}`}.`,
  )

const noToken = (id: string) =>
  notFound(
    "token",
    id,
    "Your account has no token with this number.",
    html`<p><a class="button" href="/account/tokens">Go to your tokens</a></p>`,
  )
