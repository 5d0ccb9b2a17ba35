/**
 * One-time links: asking for one, looking at it, using it. Only a POST uses it up, so that a mail
 * scanner or a preview that opens it does no harm.
 */
import { Elysia } from "elysia"
import { standardLimit } from "../../access/plan.ts"
import type { SignedIn } from "../../access/sessions.ts"
import { linkPath, validMinutes } from "../../access/sign-in-links.ts"
import { hidden, notice, pageTitle } from "../kit/components.ts"
import { readForm } from "../kit/form.ts"
import { number } from "../kit/format.ts"
import { html } from "../kit/html.ts"
import { type PageResult, pageContext } from "../kit/page-context.ts"
import { PageError, pageNotFound } from "../kit/page-error.ts"
import type { SignInOptions } from "./account-options.ts"
import { emailField, signInPage } from "./sign-in-page.ts"
import {
  clientOf,
  emailFault,
  emailOf,
  goOnSignedIn,
  home,
  keepsCookie,
  nextOf,
  pastLimit,
  queryOf,
} from "./sign-in-request.ts"

export const link = (options: SignInOptions) => {
  const { links, signInLimits, mailLink, isSignUpOpen, baseUrl, now } = options

  return new Elysia({ name: "link" })
    .use(pageContext(options))
    .get("/account/sign-up", ({ request, page }) => {
      if (!isSignUpOpen) throw pageNotFound()
      return page(signUpPage({ email: "", next: nextOf(queryOf(request).get("next")) }))
    })
    .post(
      "/account/send-link",
      async ({ request, address, page }) => {
        if (!mailLink) throw noMail()
        const form = await readForm(request)
        const [email, next] = [emailOf(form), nextOf(form.get("next"))]
        const refused = ({ status, headers, ...linkFaults }: Refusal) => {
          const shown = { email, next, status, ...(headers && { headers }), linkFaults }
          if (form.has("sign-up") && isSignUpOpen) return page(signUpPage(shown))
          const isKept = keepsCookie(request, baseUrl)
          return page(signInPage({ ...shown, isMailSet: true, isSignUpOpen, keepsCookie: isKept }))
        }
        const fault = emailFault(email)
        if (fault !== undefined) return refused({ status: 400, email: fault })
        try {
          await signInLimits.requestLink(email, address)
        } catch (error) {
          const { until, ...limited } = pastLimit(error, now())
          return refused({
            ...limited,
            form: html`Too many links were asked for. Try again at ${until}.`,
          })
        }
        const made = await links.request(email, now())
        if (made) {
          const url = baseUrl + linkPath(made.secret, next === home ? undefined : next)
          mailLink({ to: made.email, url, isNewAccount: made.isNewAccount })
        }
        return page(sentPage(email, isSignUpOpen))
      },
      { parse: "none" },
    )
    .get("/account/link", async ({ request, session, page }) => {
      const query = queryOf(request)
      const secret = query.get("link") ?? ""
      const found = await links.find(secret, now())
      if (!found) return page(notValidPage(session))
      return page(linkPage({ secret, next: nextOf(query.get("next")), ...found }))
    })
    .post(
      "/account/link",
      async ({ request, address, session, page }) => {
        const form = await readForm(request)
        const client = clientOf(request, address)
        const redeemed = await links.redeem(form.get("link"), client, now(), session)
        if (!redeemed) return page(notValidPage(session))
        const next = nextOf(form.get("next"))
        const choose = `/account/password?${new URLSearchParams({ next })}`
        return goOnSignedIn(redeemed.cookie, redeemed.hasPassword ? next : choose)
      },
      { parse: "none" },
    )
}

interface Refusal {
  status: number
  headers?: Readonly<Record<string, string>>
  email?: string
  form?: ReturnType<typeof html>
}

const noMail = () =>
  new PageError(
    404,
    "No mail is sent here",
    "This service sends no mail. Whoever operates it can make a link for you with: mds account link",
  )

/**
 * The same whatever keeps it from being used, which is nobody else's business.
 * @param session the person's, who may have used the link a moment ago
 */
const notValidPage = (session: SignedIn | null): PageResult => ({
  title: "This link can't be used",
  section: "account",
  status: 410,
  headers: { "Cache-Control": "no-store" },
  main: html`${pageTitle("This link can't be used", `A link works once, within ${validMinutes} minutes, and only as a whole.`)}
<p>${
    session
      ? html`You are signed in as <b>${session.email}</b>. <a href="/account">Go to your account</a>`
      : html`<a class="button" href="/account/sign-in">Sign in another way</a>`
  }</p>`,
})

interface SignUp extends Pick<PageResult, "headers"> {
  email: string
  next: string
  status?: number
  linkFaults?: Omit<Refusal, "status" | "headers">
}

const signUpPage = ({ email, next, linkFaults = {}, ...result }: SignUp): PageResult => ({
  title: "Create an account",
  section: "account",
  ...result,
  main: html`${pageTitle("Create an account", `On the standard plan: ${number(standardLimit)} requests an hour, and everything that the API has.`)}
<div class="stack"><section class="panel form-narrow" aria-label="Create an account">
${linkFaults.form && notice("bad", linkFaults.form, true)}
<form method="post" action="/account/send-link" class="fields">
${emailField({ email, fault: linkFaults.email })}
${hidden("sign-up", "true")}
${hidden("next", next)}
<p class="muted small">You get a mail with a link that confirms the address.</p>
<div><button class="primary">Send me the link</button></div>
</form></section>
<p>You have an account? <a href="/account/sign-in">Sign in</a>.</p></div>`,
})

/** The same whether there is such an account or not. */
const sentPage = (email: string, isSignUpOpen: boolean): PageResult => ({
  title: "Check your mail",
  section: "account",
  main: html`${pageTitle("Check your mail")}
<div class="stack prose">
<p>${isSignUpOpen ? html`A link is on its way to <b>${email}</b>.` : html`If <b>${email}</b> has an account here, a link is on its way to it.`} It works once, within ${validMinutes} minutes.</p>
<p class="muted">Nothing arrives? Look among unwanted mail, and check the address. Then <a href="/account/sign-in">try again</a>.</p>
</div>`,
})

interface LinkShown {
  secret: string
  next: string
  email: string
  isNewAccount: boolean
}

function linkPage({ secret, next, email, isNewAccount }: LinkShown): PageResult {
  const [title, button] = isNewAccount
    ? ["Create your account", "Create the account"]
    : ["Sign in", "Sign in"]
  return {
    title,
    section: "account",
    headers: { "Cache-Control": "no-store" },
    main: html`${pageTitle(title, html`As <b>${email}</b>.`)}
<form method="post" action="/account/link" class="panel form-narrow">
<p>Your one-time link is valid. It is used up when you press the button.</p>
${hidden("link", secret)}
${hidden("next", next)}
<button class="primary">${button}</button>
</form>`,
  }
}
