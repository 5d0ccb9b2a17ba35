/**
 * One-time links: requesting, opening and using one. Only a POST uses it up, so that a mail scanner or a
 * preview may open it.
 */
import { Elysia } from "elysia"
import { standardLimit } from "../../access/plan.ts"
import type { SignedIn } from "../../access/sessions.ts"
import { type LinkPurpose, linkPath, validMinutes } from "../../access/sign-in-links.ts"
import { hidden } from "../kit/components.ts"
import { type Form, readForm, readQuery } from "../kit/form.ts"
import { number } from "../kit/format.ts"
import { html } from "../kit/html.ts"
import { pageContext } from "../kit/page-context.ts"
import { pageNotFound } from "../kit/page-error.ts"
import { type AccountOptions, accountPage, type Faults } from "./account-page.ts"
import { emailField, linkEmail, signInPage } from "./sign-in.ts"
import { clientOf, emailFault, emailOf, home, nextOf, redirectSignedIn } from "./sign-in-request.ts"

export const link = (options: AccountOptions) => {
  const { links, signInLimits, mailLink, isSignUpOpen, baseUrl, now } = options
  return new Elysia({ name: "link" })
    .use(pageContext(options))
    .get("/account/sign-up", ({ request, page }) => {
      if (!isSignUpOpen) throw pageNotFound()
      return page(signUpPage(readQuery(request)))
    })
    .post("/account/send-link", async ({ request, address, page }) => {
      if (!mailLink) throw pageNotFound()
      const form = await readForm(request)
      const [email, next] = [emailOf(form), nextOf(form)]
      const fault = emailFault(email)
      if (fault !== undefined) {
        return page(
          form.has("sign-up") && isSignUpOpen
            ? signUpPage(form, { email: fault })
            : signInPage(options, request, { entered: form, faults: { [linkEmail]: fault } }),
        )
      }
      await signInLimits.requestLink(email, address)
      const made = await links.request(email, now())
      if (made) {
        const url = baseUrl + linkPath(made.secret, next === home ? undefined : next)
        mailLink({ to: made.email, url, isNewAccount: made.isNewAccount })
      }
      return page(sentPage(email))
    })
    .get("/account/link", async ({ request, session, page }) => {
      const query = readQuery(request)
      const purpose = await links.find(query.get("link"), now())
      return page(purpose ? linkPage(query, purpose) : notValidPage(await session()))
    })
    .post("/account/link", async ({ request, address, session, page }) => {
      const form = await readForm(request)
      const replaces = await session()
      const client = clientOf(request, address)
      const redeemed = await links.redeem(form.get("link"), client, now(), replaces)
      if (!redeemed) return page(notValidPage(replaces))
      const next = nextOf(form)
      const choose = `/account/password?${new URLSearchParams({ next })}`
      return redirectSignedIn(redeemed.cookie, redeemed.hasPassword ? next : choose)
    })
}

const signUpPage = (entered: Form, faults: Faults = {}) =>
  accountPage({
    title: "Create an account",
    lead: `On the standard plan: ${number(standardLimit)} requests an hour, and everything that the API has.`,
    faults,
    main: html`<form method="post" action="/account/send-link" class="panel fields form-narrow">
${emailField(emailOf(entered), faults)}
${hidden("sign-up", "true")}
${hidden("next", nextOf(entered))}
<p class="muted small">You get a mail with a link that confirms the address.</p>
<div><button class="primary">Send me the link</button></div>
</form>
<p>You have an account? <a href="/account/sign-in">Sign in</a>.</p>`,
  })

/** The same whether the account exists or not. */
const sentPage = (email: string) =>
  accountPage({
    title: "Check your mail",
    main: html`<p>If <b>${email}</b> can sign in here, a link is on its way to it. It works once, within ${validMinutes} minutes.</p>
<p class="muted">Nothing arrives? Look among unwanted mail, and check the address. Then <a href="/account/sign-in">try again</a>.</p>`,
  })

/**
 * The same for every reason, which only the account's owner may know.
 * @param session the person's, who may have used the link a moment ago
 */
const notValidPage = (session: SignedIn | null) =>
  accountPage({
    title: "This link can't be used",
    lead: `A link works once, within ${validMinutes} minutes, and only as a whole.`,
    status: 410,
    headers: { "Cache-Control": "no-store" },
    main: session
      ? html`<p>You are signed in as <b>${session.email}</b>. <a href="/account">Go to your account</a></p>`
      : html`<p><a class="button" href="/account/sign-in">Sign in another way</a></p>`,
  })

const linkPage = (query: Form, { email, isNewAccount }: LinkPurpose) =>
  accountPage({
    title: isNewAccount ? "Create your account" : "Sign in",
    lead: html`As <b>${email}</b>.`,
    headers: { "Cache-Control": "no-store" },
    main: html`<form method="post" action="/account/link" class="panel form-narrow">
<p>Your one-time link is valid. It is used up when you press the button.</p>
${hidden("link", query.get("link"))}
${hidden("next", nextOf(query))}
<button class="primary">${isNewAccount ? "Create the account" : "Sign in"}</button>
</form>`,
  })
