/** One token: editing, rotating and revoking it. */
import { Elysia } from "elysia"
import type { SignedIn } from "../../access/sessions.ts"
import { findOwnToken, type OwnToken } from "../../access/token-list.ts"
import { editOwnToken, revokeToken, rotateOwnToken } from "../../access/tokens.ts"
import { hourMs } from "../../text/durations.ts"
import { choiceFault } from "../kit/components.ts"
import { readForm } from "../kit/form.ts"
import { html } from "../kit/html.ts"
import { requireRecentSignIn, signedIn } from "../kit/page-context.ts"
import { notFound } from "../kit/page-error.ts"
import { redirect } from "../kit/page-response.ts"
import type { AreaOptions } from "./area-options.ts"
import { makeChange, readFormId, readId } from "./changes.ts"
import { graces, revokePage, rotatedNotes, rotatePage, tokenPage } from "./token-pages.ts"
import { tokenShownPage } from "./token-shown.ts"

export const token = (options: AreaOptions) => {
  const { accountPool, changeAccount, now } = options

  /** @throws PageError 404 also where it is another account's */
  async function ownToken({ accountId }: SignedIn, id: string): Promise<OwnToken> {
    const found = await findOwnToken(accountPool, { accountId, tokenId: readId(id) }, now())
    if (!found) throw noToken(id)
    return found
  }

  const shown = () => ({ now: now() })

  return new Elysia({ name: "token" })
    .use(signedIn(options))
    .get("/account/tokens/:id", async ({ person, params: { id }, query, page }) =>
      page(
        tokenPage({
          token: await ownToken(person, id),
          isSaved: query.saved !== undefined,
          ...shown(),
        }),
      ),
    )
    .post(
      "/account/tokens/:id",
      async ({ request, person, address, params: { id }, page }) => {
        const token = await ownToken(person, id)
        const form = await readForm(request)
        const entered = { name: form.get("name"), forSpreadsheets: form.has("for_spreadsheets") }
        const of = { accountId: person.accountId, tokenId: token.id }
        const { refusal } = await makeChange(changeAccount, { person, address }, (editor) =>
          editOwnToken(editor, { ...of, ...entered }),
        )
        if (refusal === undefined) return redirect(`/account/tokens/${token.id}?saved`)
        return page({
          status: 400,
          ...tokenPage({ token, entered, fault: refusal, ...shown() }),
        })
      },
      { parse: "none" },
    )

    .get("/account/tokens/:id/rotate", async ({ person, params: { id }, page }) => {
      const token = await ownToken(person, id)
      requireRecentSignIn(person, now())
      return page(rotatePage({ token, ...shown() }))
    })
    .post(
      "/account/tokens/:id/rotate",
      async ({ request, person, address, params: { id }, publicUrl, page }) => {
        const token = await ownToken(person, id)
        requireRecentSignIn(person, now(), `/account/tokens/${token.id}/rotate`)
        const form = await readForm(request)
        const grace = form.get("grace")
        const graceFault = choiceFault(graces, grace)
        if (graceFault !== undefined) {
          return page({ status: 400, ...rotatePage({ token, graceFault, ...shown() }) })
        }
        const rotation = {
          accountId: person.accountId,
          tokenId: token.id,
          graceMs: Number(grace) * hourMs,
          now: now(),
          formId: readFormId(form.get("form")),
        }
        const outcome = await makeChange(changeAccount, { person, address }, (editor) =>
          rotateOwnToken(editor, rotation),
        )
        if (outcome.refusal !== undefined) {
          const fault = outcome.refusal
          return page({ status: 400, ...rotatePage({ token, fault, ...shown() }) })
        }
        const { value: made, isConfirmed } = outcome
        const notes = rotatedNotes(made, isConfirmed)
        return page(tokenShownPage({ made, publicUrl, title: "Token rotated", notes }))
      },
      { parse: "none" },
    )

    .get("/account/tokens/:id/revoke", async ({ person, params: { id }, page }) =>
      page(revokePage({ token: await ownToken(person, id), ...shown() })),
    )
    .post(
      "/account/tokens/:id/revoke",
      async ({ person, address, params: { id }, page }) => {
        const token = await ownToken(person, id)
        const of = { accountId: person.accountId, tokenId: token.id }
        const outcome = await makeChange(changeAccount, { person, address }, (editor) =>
          revokeToken(editor, of),
        )
        if (outcome.refusal !== undefined) {
          const fault = outcome.refusal
          return page({ status: 400, ...revokePage({ token, fault, ...shown() }) })
        }
        const query = new URLSearchParams({ revoked: outcome.value.prefix })
        if (!outcome.isConfirmed) query.set("unconfirmed", "")
        return redirect(`/account/tokens?${query}`)
      },
      { parse: "none" },
    )
}

const noToken = (id: string) =>
  notFound(
    "token",
    id,
    "Your account has no token with this number.",
    html`<p><a class="button" href="/account/tokens">Go to your tokens</a></p>`,
  )
