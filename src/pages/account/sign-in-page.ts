/** The page on which people sign in. */

import { field, hidden, notice, pageTitle } from "../kit/components.ts"
import { type Content, html } from "../kit/html.ts"
import type { PageResult } from "../kit/page-context.ts"

export interface SignInPage {
  /** Where to go afterwards. */
  next: string
  /** What was typed, or is known. */
  email?: string
  /** Said first: why to sign in, or what has happened. */
  message?: Content
  /** Of the form with the password. */
  faults?: { email?: string; password?: string; form?: Content }
  /** Of the form that asks for a link. */
  linkFaults?: { email?: string; form?: Content }
  isMailSet: boolean
  isSignUpOpen: boolean
  /** Whether the browser keeps the session's cookie, as far as can be told. */
  keepsCookie: boolean
  status?: number
  headers?: Readonly<Record<string, string>>
}

export const signInPage = (shown: SignInPage): PageResult => ({
  title: "Sign in",
  section: "account",
  ...(shown.status !== undefined && { status: shown.status }),
  ...(shown.headers && { headers: shown.headers }),
  main: html`${pageTitle("Sign in", "Your account has your API tokens, your usage and the explorer.")}
<div class="stack">
${!shown.keepsCookie && plainHttp}
${shown.message}
<div class="columns">
${passwordForm(shown)}
${linkForm(shown)}
</div>
${shown.isSignUpOpen && html`<p>No account yet? <a href="/account/sign-up">Create one</a>.</p>`}
</div>`,
})

const plainHttp = notice(
  "bad",
  html`<p>This page was opened over plain HTTP. Browsers keep you signed in only over HTTPS, or on localhost, so signing in has no effect here. Open the page at its address with <code>https://</code>.</p>`,
)

const passwordForm = ({ next, email = "", faults = {} }: SignInPage) =>
  html`<section class="panel" aria-labelledby="by-password"><h2 id="by-password">With your password</h2>
${faults.form && notice("bad", faults.form, true)}
<form method="post" action="/account/sign-in" class="fields">
${emailField({ email, fault: faults.email })}
${field({
  name: "password",
  label: "Password",
  fault: faults.password,
  input: { type: "password", autocomplete: "current-password", required: true },
})}
${hidden("next", next)}
<div><button class="primary">Sign in</button></div>
</form></section>`

function linkForm({ next, email = "", linkFaults = {}, isMailSet }: SignInPage) {
  if (!isMailSet) {
    return html`<section class="panel" aria-labelledby="by-link"><h2 id="by-link">With a one-time link</h2>
<p>This service sends no mail. Whoever operates it can make a link for you with</p>
<pre class="code"><code>mds account link ${email || "you@example.com"}</code></pre>
<p class="muted small">The link works once, within 15 minutes. Then you can choose a password.</p></section>`
  }
  return html`<section class="panel" aria-labelledby="by-link"><h2 id="by-link">With a one-time link</h2>
<p>Without a password, or if it is forgotten: a link to sign in is sent to your email address.</p>
${linkFaults.form && notice("bad", linkFaults.form, true)}
<form method="post" action="/account/send-link" class="fields">
${emailField({ id: "link-email", email, fault: linkFaults.email })}
${hidden("next", next)}
<div><button>Send me a link</button></div>
</form></section>`
}

export const emailField = ({
  id = "email",
  email,
  fault,
}: {
  id?: string
  email: string
  fault?: string | undefined
}) =>
  field({
    id,
    name: "email",
    label: "Email address",
    fault,
    input: {
      type: "email",
      autocomplete: "username",
      required: true,
      value: email,
      maxlength: 254,
    },
  })
