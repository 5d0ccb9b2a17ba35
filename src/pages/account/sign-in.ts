/** Signing in with a password, and signing out. */
import { Elysia } from "elysia"
import { fold } from "../../text/fold.ts"
import { field, hidden, notice, panel } from "../kit/components.ts"
import { type Form, readForm, readQuery } from "../kit/form.ts"
import { type Content, type Html, html } from "../kit/html.ts"
import { type PageResult, pageContext } from "../kit/page-context.ts"
import { redirect, sessionCookie } from "../kit/page-response.ts"
import { type AccountOptions, accountPage, type Faults } from "./account-page.ts"
import { clientOf, emailFault, emailOf, nextOf, redirectSignedIn } from "./sign-in-request.ts"

const wrong = "The email address or the password is wrong"

export const signIn = (options: AccountOptions) => {
  const { sessions, passwords, signInLimits, now } = options
  return new Elysia({ name: "sign-in" })
    .use(pageContext(options))
    .get("/account/sign-in", async ({ request, session, page }) => {
      const entered = readQuery(request)
      const email = (await session())?.email
      const message = messages.get(entered.get("reason")) ?? (email && signedInAs(email))
      return page(signInPage(options, request, { entered, email, message }))
    })
    .post("/account/sign-in", async ({ request, address, session, page }) => {
      const form = await readForm(request)
      const [email, password] = [emailOf(form), form.get("password")]
      const refused = (faults: Faults) =>
        page(signInPage(options, request, { entered: form, faults }))

      const fault = emailFault(email)
      if (fault !== undefined) return refused({ email: fault })
      if (password === "") return refused({ password: "Enter your password" })
      const replaces = await session()
      const isOwn = replaces !== null && fold(replaces.email) === fold(email)
      const sessionId = isOwn ? replaces.sessionId : undefined
      const { count, succeeded } = await signInLimits.attempt(email, address, sessionId)
      const attempt = { password, address, onTurn: count }
      const accountId = await passwords.accountOf(email, attempt)
      if (accountId === null) return refused({ password: wrong })
      await succeeded()
      const client = clientOf(request, address)
      const cookie = await sessions.start(accountId, client, now(), replaces)
      return cookie === null ? refused({ password: wrong }) : redirectSignedIn(cookie, nextOf(form))
    })
    .post("/account/sign-out", async ({ session, address }) => {
      const person = await session()
      if (person) await sessions.end(person.accountId, person.sessionId, address)
      return redirect("/account/sign-in?reason=signed-out", sessionCookie.clear())
    })
}

/** The reasons for signing in, by their names in the URL. */
const messages = new Map(
  Object.entries({
    again: notice(
      "waiting",
      "Sign in again to go on: this gives access to others, and you signed in more than an hour ago.",
    ),
    link: notice(
      "waiting",
      "Sign in with a one-time link to choose a password: the link shows that your email address is yours.",
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

interface SignInPage {
  /** The submitted fields, or those of the URL. */
  entered: Form
  /** The email address of the session's account. */
  email?: string | undefined
  /** The reason for signing in, or the outcome of the last step. */
  message?: Content
  faults?: Faults
}

export const signInPage = (
  { mailLink, isSignUpOpen, baseUrl }: AccountOptions,
  request: Request,
  { entered, email = emailOf(entered), message, faults = {} }: SignInPage,
): PageResult => {
  const next = hidden("next", nextOf(entered))
  return accountPage({
    title: "Sign in",
    lead: "Your account has your API tokens, your usage and the explorer.",
    faults,
    main: html`${!storesCookie(request, baseUrl) && plainHttp}
${message}
<div class="columns">
${panel(
  "by-password",
  "With your password",
  html`<form method="post" action="/account/sign-in" class="fields">
${emailField(email, faults)}
${passwordField("password", "Password", faults)}
${next}
<div><button class="primary">Sign in</button></div>
</form>`,
)}
${panel(
  "by-link",
  "With a one-time link",
  mailLink
    ? html`<p>Without a password, or if it is forgotten: a link to sign in is sent to your email address.</p>
<form method="post" action="/account/send-link" class="fields">
${emailField(email, faults, linkEmail)}
${next}
<div><button>Send me a link</button></div>
</form>`
    : html`<p>This service sends no mail. Whoever operates it can make a link for you with</p>
<pre><code>mds account link ${email || "you@example.com"}</code></pre>
<p class="muted small">The link works once, within 15 minutes. Then you can choose a password.</p>`,
)}
</div>
${isSignUpOpen && html`<p>No account yet? <a href="/account/sign-up">Create one</a>.</p>`}`,
  })
}

const plainHttp = notice(
  "bad",
  html`<p>This page was opened over plain HTTP. Browsers keep you signed in only over HTTPS, or on localhost, so signing in has no effect here. Open the page at its address with <code>https://</code>.</p>`,
)

/**
 * Whether the browser stores a Secure cookie: over HTTPS, and on this machine. Browsers send `Sec-Fetch-Site`
 * in those cases alone.
 */
const storesCookie = ({ url, headers }: Request, baseUrl: string): boolean =>
  headers.has("sec-fetch-site") ||
  headers.get("x-forwarded-proto")?.split(",")[0]?.trim() === "https" ||
  baseUrl.startsWith("https:") ||
  /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)

/** The id of the email field for a link, beside that for a password. */
export const linkEmail = "link-email"

export const emailField = (value: string, faults: Faults, id = "email"): Html =>
  field({
    id,
    name: "email",
    label: "Email address",
    fault: faults[id],
    input: { type: "email", autocomplete: "username", required: true, value, maxlength: 254 },
  })

export const passwordField = (name: string, label: string, faults: Faults): Html =>
  field({
    name,
    label,
    fault: faults[name],
    input: { type: "password", autocomplete: "current-password", required: true },
  })
