/** The sign-in page, and signing out; also what the other pages for signing in share with it. */
import { Elysia } from "elysia"
import { validMinutes } from "../../../accounts/access/sign-in-links.ts"
import { isEmailAddress } from "../../../system/text/email-address.ts"
import { localPath } from "../../../system/text/local-path.ts"
import { formField, hidden, notice } from "../kit/components.ts"
import { type Form, readQuery } from "../kit/form.ts"
import { type Content, type Html, html } from "../kit/html.ts"
import { type PageResult, pageContext } from "../kit/page-context.ts"
import { redirect, sessionCookie } from "../kit/page-response.ts"
import { type AccountOptions, accountPage } from "./account-page.ts"

/** The page after signing in, unless the person came from another. */
export const home = "/account"

/** The page after signing in: always of this service, and not the sign-in page. */
export function nextOf(form: Form): string {
  const next = localPath(form.get("next"), home)
  return /^\/account\/(?:sign-|link|send-link)/.test(next) ? home : next
}

/** The address of another page for signing in, which leads to the same page in the end. */
export function withNext(path: string, form: Form): string {
  const next = nextOf(form)
  return next === home ? path : `${path}?${new URLSearchParams({ next })}`
}

export const emailOf = (form: Form): string => form.get("email").trim()

export const emailFault = (email: string): string | undefined =>
  isEmailAddress(email) ? undefined : "Enter an email address, such as you@example.com"

export const signIn = (options: AccountOptions) => {
  const { sessions } = options
  return new Elysia({ name: "sign-in" })
    .use(pageContext(options))
    .get("/account/sign-in", async ({ request, session, page }) => {
      const entered = readQuery(request)
      const email = (await session())?.email
      const message = messages.get(entered.get("reason")) ?? (email && signedInAs(email))
      return page(signInPage(options, request, { entered, email, message }))
    })
    .post("/account/sign-out", async ({ session, address }) => {
      const person = await session()
      if (person) await sessions.end({ ...person, address }, person.sessionId)
      return redirect("/account/sign-in?reason=signed-out", sessionCookie.clear())
    })
}

/** The reasons for signing in, by their names in the URL. */
const messages = new Map(
  Object.entries({
    again: notice(
      "waiting",
      "Sign in again to continue: this gives access to others, and you signed in more than an hour ago.",
    ),
    "signed-out": notice("good", "You are signed out."),
    "signed-out-everywhere": notice("good", "You are signed out on every device."),
  }),
)

const signedInAs = (email: string) =>
  notice(
    "neutral",
    html`<p>You are signed in as ${email}. If you sign in with another account here, that session ends. <a href="/account">Go to your account</a></p>`,
  )

interface LinkForm {
  /** The submitted fields, or those of the URL. */
  entered: Form
  /** Of the session's account. */
  email?: string | undefined
  /** Of the email address. */
  fault?: string | undefined
}

interface SignInPage extends LinkForm {
  /** The reason to sign in, or the outcome of the last step. */
  message?: Content
}

export const signInPage = (
  { linkMail, isSignUpOpen, baseUrl }: AccountOptions,
  request: Request,
  { message, ...form }: SignInPage,
): PageResult =>
  accountPage({
    title: "Sign in",
    lead: "Your account has your API tokens, your usage and the explorer.",
    fault: form.fault,
    main: html`${!storesCookie(request, baseUrl) && plainHttp}
${message}
${(!linkMail || linkMail.isFailing()) && mailUnavailable(linkMail !== null, form.entered)}
${linkMail && linkForm(form)}
${isSignUpOpen && html`<p>No account yet? <a href="${withNext("/account/sign-up", form.entered)}">Create one</a>.</p>`}`,
  })

/** The same for everyone, so that it reveals nothing about an account. */
export function mailUnavailable(isSent: boolean, entered: Form): Html {
  const next = nextOf(entered)
  // In quotes, and without further ones, a shell reads a path that anybody may have made as one word.
  const option = next === home ? "" : ` --next '${next.replaceAll("'", "%27")}'`
  return notice(
    "waiting",
    html`<p>${
      isSent
        ? "This service can't send mail right now. Links that were mailed before still work."
        : "This service sends no mail."
    } Ask its operator for a link, who prints it with</p>
<pre><code>mds account link you@example.com${option}</code></pre>
<p>It works once, within ${validMinutes} minutes.</p>`,
  )
}

const plainHttp = notice(
  "bad",
  html`<p>This page was opened over plain HTTP. Browsers keep you signed in only over HTTPS, or on
localhost, so signing in has no effect here. Open the page at its address with
<code>https://</code>.</p>`,
)

/**
 * Whether the browser stores a Secure cookie: over HTTPS, and on this machine. Browsers send `Sec-Fetch-Site`
 * only in those cases.
 */
const storesCookie = ({ url, headers }: Request, baseUrl: string): boolean =>
  headers.has("sec-fetch-site") ||
  headers.get("x-forwarded-proto")?.split(",")[0]?.trim() === "https" ||
  baseUrl.startsWith("https:") ||
  /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)

/** Asks for the address that gets a link. */
export const linkForm = (
  { entered, email = emailOf(entered), fault }: LinkForm,
  isSignUp = false,
): Html =>
  html`<form method="post" action="/account/send-link" class="panel fields form-narrow">
${formField({
  name: "email",
  label: "Email address",
  value: email,
  fault,
  input: { type: "email", autocomplete: "username", required: true, maxlength: 254 },
})}
${isSignUp && hidden("sign-up", "true")}
${hidden("next", nextOf(entered))}
<p class="muted small">You get a mail with a link that ${isSignUp ? "confirms the address" : "signs you in"}.</p>
<div><button class="primary">Send me a link</button></div>
</form>`
