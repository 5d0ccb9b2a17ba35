/** The page that ends the mails of a watch. Only a POST changes anything, because mail scanners open links. */
import { Elysia } from "elysia"
import { AccountError } from "../../../accounts/access/change.ts"
import { pauseWatch } from "../../../accounts/alerts/store.ts"
import { unsubscribePath, watchOfLink } from "../../../accounts/alerts/unsubscribe.ts"
import { contextOf } from "../../../api/plugins/request-context.ts"
import { readQuery } from "../kit/form.ts"
import { type Content, html } from "../kit/html.ts"
import { layout, unknownFrame } from "../kit/layout.ts"
import { PageError } from "../kit/page-error.ts"
import { pageResponse } from "../kit/page-response.ts"
import { type AccountOptions, accountPage } from "./account-page.ts"

/** Without the context of other pages: mail programs send the POST without a session and from no page. */
export const unsubscribe = ({ accountPool, changeAccount, now }: AccountOptions) => {
  async function linked(request: Request) {
    const { address } = contextOf(request)
    const watch = await watchOfLink(accountPool, readQuery(request).get("token"), address)
    if (!watch) throw noWatch()
    return { ...watch, address }
  }
  return new Elysia({ name: "unsubscribe" })
    .onParse(() => null)
    .get(unsubscribePath, async ({ request }) => {
      const { name, state } = await linked(request)
      return state === "active"
        ? shown(request, "Stop these mails?", name, form)
        : paused(request, name)
    })
    .post(unsubscribePath, async ({ request }) => {
      const { id, name, ...owner } = await linked(request)
      await changeAccount(owner, (editor) => pauseWatch(editor, { id, now: now() })).catch(ifPaused)
      return paused(request, name)
    })
}

const shown = (request: Request, title: string, name: string, main: Content) => {
  const lead = html`They are about your watch <bdi>“${name}”</bdi>.`
  return pageResponse(request, layout(accountPage({ title, lead, main }), unknownFrame), "no-store")
}

/** A second click finds the watch paused. */
const ifPaused = (error: unknown) => {
  if (!(error instanceof AccountError)) throw error
}

/** Sent to the same address, whose query has the token. */
const form = html`<form method="post" class="panel form-narrow">
<p>The button pauses the watch. You can resume it in your account at any time.</p>
<button class="primary">Stop these mails</button>
</form>`

const paused = (request: Request, name: string) =>
  shown(
    request,
    "These mails are stopped",
    name,
    html`<p>The watch sends nothing until you resume it.</p><p><a class="button" href="/account/watches">Go to your watches</a></p>`,
  )

const noWatch = () =>
  new PageError(
    404,
    "This link is no longer valid",
    "Its watch has been deleted, and sends no mails.",
    { "Cache-Control": "no-store" },
  )
