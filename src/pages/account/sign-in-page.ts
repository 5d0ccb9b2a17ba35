/** The page on which people sign in. */
import { field, hidden, notice, panel } from "../kit/components.ts"
import type { Form } from "../kit/form.ts"
import { type Content, type Html, html } from "../kit/html.ts"
import type { PageResult } from "../kit/page-context.ts"
import type { AccountOptions } from "./account-options.ts"
import { accountPage, type Faults } from "./account-page.ts"
import { emailOf, nextOf } from "./sign-in-request.ts"

export interface SignInPage {
  /** What was sent, or the fields of the address. */
  entered: Form
  /** Of the account that has signed in here. */
  email?: string | undefined
  /** Why to sign in, or what has happened. */
  message?: Content
  faults?: Faults
}

type SignInOptions = Pick<AccountOptions, "mailLink" | "isSignUpOpen" | "baseUrl">

export const signInPage = (
  { mailLink, isSignUpOpen, baseUrl }: SignInOptions,
  request: Request,
  { entered, email = emailOf(entered), message, faults = {} }: SignInPage,
): PageResult => {
  const next = hidden("next", nextOf(entered))
  return accountPage({
    title: "Sign in",
    lead: "Your account has your API tokens, your usage and the explorer.",
    faults,
    main: html`${!keepsCookie(request, baseUrl) && plainHttp}
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
<pre class="code"><code>mds account link ${email || "you@example.com"}</code></pre>
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
 * Whether the browser keeps a cookie that is marked Secure, as far as can be told: over HTTPS, and on
 * this machine. Browsers send `Sec-Fetch-Site` in those cases alone.
 */
const keepsCookie = ({ url, headers }: Request, baseUrl: string): boolean =>
  headers.has("sec-fetch-site") ||
  headers.get("x-forwarded-proto")?.split(",")[0]?.trim() === "https" ||
  baseUrl.startsWith("https:") ||
  /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)

/** The id of the address for a link, beside that for a password. */
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
