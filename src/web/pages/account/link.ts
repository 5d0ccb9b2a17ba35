/**
 * One-time links: requesting, opening and using one. Only a POST uses it up, so that a mail scanner or a
 * preview may open it.
 */
import { Elysia } from "elysia"
import { idleMs, type SignedIn } from "../../../accounts/access/sessions.ts"
import { type LinkPurpose, linkPath, validMinutes } from "../../../accounts/access/sign-in-links.ts"
import { standardLimit } from "../../../accounts/access/windows.ts"
import { hidden } from "../kit/components.ts"
import { type Form, readForm, readQuery } from "../kit/form.ts"
import { number } from "../kit/format.ts"
import { html } from "../kit/html.ts"
import { pageContext } from "../kit/page-context.ts"
import { pageNotFound, signInPath } from "../kit/page-error.ts"
import { redirect, sessionCookie } from "../kit/page-response.ts"
import { type AccountOptions, accountPage } from "./account-page.ts"
import {
  emailFault,
  emailOf,
  home,
  linkForm,
  mailUnavailable,
  nextOf,
  signInPage,
  withNext,
} from "./sign-in.ts"

export const link = (options: AccountOptions) => {
  const { links, limitLinks, linkMail, isSignUpOpen, baseUrl, now } = options
  return new Elysia({ name: "link" })
    .use(pageContext(options))
    .get("/account/sign-up", ({ request, page }) => {
      if (!isSignUpOpen) throw pageNotFound()
      return page(signUpPage(readQuery(request)))
    })
    .post("/account/send-link", async ({ request, address, page }) => {
      if (!linkMail) throw pageNotFound()
      const form = await readForm(request)
      const [email, next] = [emailOf(form), nextOf(form)]
      const fault = emailFault(email)
      if (fault !== undefined) {
        return page(
          form.has("sign-up") && isSignUpOpen
            ? signUpPage(form, fault)
            : signInPage(options, request, { entered: form, fault }),
        )
      }
      await limitLinks(address)
      // A link that is not mailed would only count.
      const made = linkMail.isFull() ? null : await links.request(email, now(), address)
      const path = made && linkPath(made.secret, next === home ? undefined : next)
      linkMail.send(made && { ...made, url: `${baseUrl}${path}` })
      return page(sentPage(form, linkMail.isFailing()))
    })
    .get("/account/link", async ({ request, address, session, page }) => {
      const query = readQuery(request)
      const purpose = await links.find(query.get("link"), now(), address)
      return page(purpose ? linkPage(query, purpose) : notValidPage(query, await session()))
    })
    .post("/account/link", async ({ request, address, session, page }) => {
      const form = await readForm(request)
      const replaces = await session()
      const client = { address, userAgent: request.headers.get("user-agent") ?? "" }
      const cookie = await links.redeem(form.get("link"), client, now(), replaces)
      if (cookie === null) return page(notValidPage(form, replaces))
      const headers = { "Set-Cookie": sessionCookie.text(cookie, idleMs / 1000) }
      return redirect(nextOf(form), headers)
    })
}

const signUpPage = (entered: Form, fault?: string) =>
  accountPage({
    title: "Create an account",
    lead: `On the standard plan: ${number(standardLimit)} requests an hour, and everything that the API has.`,
    fault,
    main: html`${linkForm({ entered, fault }, true)}
<p>You have an account? <a href="${withNext("/account/sign-in", entered)}">Sign in</a>.</p>`,
  })

/** The same whether the account exists or not. */
const sentPage = (form: Form, isMailFailing: boolean) =>
  accountPage({
    title: "Check your mail",
    main: html`${isMailFailing && mailUnavailable(true, form)}
<p>If <b>${emailOf(form)}</b> can sign in here, a link is on its way to it. It works once, within ${validMinutes} minutes.</p>
<p class="muted">Nothing arrives? Look among unwanted mail, and check the address. Then <a href="${withNext("/account/sign-in", form)}">try again</a>.</p>`,
  })

/**
 * The same for every reason, which only the account's owner may know.
 * @param session the person's, who may have used the link a moment ago
 */
const notValidPage = (sent: Form, session: SignedIn | null) =>
  accountPage({
    title: "This link has expired or was used",
    lead: `A link works once, within ${validMinutes} minutes.`,
    status: 410,
    headers: { "Cache-Control": "no-store" },
    main: session
      ? html`<p>You are signed in as <b>${session.email}</b>. <a href="${nextOf(sent)}">Continue</a></p>`
      : html`<p><a class="button primary" href="${signInPath(nextOf(sent))}">Ask for another</a></p>`,
  })

const linkPage = (query: Form, { email, isNewAccount }: LinkPurpose) =>
  accountPage({
    title: isNewAccount ? "Create your account" : "Sign in",
    lead: html`As <b>${email}</b>.`,
    headers: { "Cache-Control": "no-store" },
    main: html`<form method="post" action="/account/link" class="panel form-narrow">
<p>Your one-time link is valid. It works once.</p>
${hidden("link", query.get("link"))}
${hidden("next", nextOf(query))}
<button class="primary">${isNewAccount ? "Create the account" : "Sign in"}</button>
</form>`,
  })
