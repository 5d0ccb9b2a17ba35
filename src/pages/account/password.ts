/** Choosing and changing a password. */
import { Elysia } from "elysia"
import { maxLength, minLength, passwordFault } from "../../access/password-rules.ts"
import type { SignedIn } from "../../access/sessions.ts"
import { field, hidden, notice } from "../kit/components.ts"
import { type Form, readForm, readQuery } from "../kit/form.ts"
import { html } from "../kit/html.ts"
import { isRecentSignIn, signedIn } from "../kit/page-context.ts"
import { SignInRequired } from "../kit/page-error.ts"
import { redirect } from "../kit/page-response.ts"
import { type AccountOptions, accountPage, type Faults } from "./account-page.ts"
import { passwordField } from "./sign-in.ts"
import { nextOf } from "./sign-in-request.ts"

/**
 * A new password needs a proof that the session's owner is at work: a one-time link used within the hour,
 * or else the current password. A first password needs the link, because a stolen session must not set one.
 */
export const password = (options: AccountOptions) => {
  const { passwords, signInLimits, now } = options
  return new Elysia({ name: "password" })
    .use(signedIn(options))
    .resolve(async ({ person }): Promise<{ proof: Proof }> => {
      const isSet = await passwords.isSet(person.accountId)
      const hasRecentLink = person.method === "link" && isRecentSignIn(person, now())
      if (!isSet && !hasRecentLink) throw new SignInRequired("link")
      return { proof: { isSet, needsCurrent: !hasRecentLink } }
    })
    .get("/account/password", ({ request, person, proof, page }) =>
      page(passwordPage(person, proof, readQuery(request))),
    )
    .post("/account/password", async ({ request, person, address, proof, page }) => {
      const form = await readForm(request)
      const [current, chosen] = [form.get("current"), form.get("password")]
      const refused = (faults: Faults) => page(passwordPage(person, proof, form, faults))
      const fault = passwordFault(chosen, person.email)
      if (fault !== null) return refused({ password: fault })
      if (proof.needsCurrent) {
        const { email, sessionId } = person
        const { count, succeeded } = await signInLimits.attempt(email, address, sessionId)
        const attempt = { password: current, address, onTurn: count }
        if ((await passwords.accountOf(email, attempt)) === null) {
          return refused({ current: "This is not your current password" })
        }
        await succeeded()
      }
      if (!(await passwords.set(person, chosen, address))) throw new SignInRequired()
      return redirect(form.has("next") ? nextOf(form) : "/account/password?done")
    })
}

interface Proof {
  /** Whether the account has a password. */
  isSet: boolean
  needsCurrent: boolean
}

/** @param entered with `next` for a person who came here from signing in, with `done` after a change */
function passwordPage(
  { email }: SignedIn,
  { isSet, needsCurrent }: Proof,
  entered: Form,
  faults: Faults = {},
) {
  const next = entered.has("next") ? nextOf(entered) : null
  return accountPage({
    title: isSet ? "Change your password" : "Choose a password",
    lead: isSet
      ? "A new password ends all other sessions of your account."
      : "With a password you can sign in without a one-time link. You can go on without one.",
    ...(next === null && { part: "/account/password" }),
    faults,
    main: html`${entered.has("done") && notice("good", "Your password is set. All other sessions have ended.", true)}
<form method="post" action="/account/password" class="panel fields form-narrow">
${field({ name: "username", label: "Account", input: { value: email, autocomplete: "username", readonly: true } })}
${needsCurrent && passwordField("current", "Current password", faults)}
${field({
  name: "password",
  label: "New password",
  hint: `${minLength} to ${maxLength} characters of any kind. A few random words are good.`,
  fault: faults.password,
  input: { type: "password", autocomplete: "new-password", required: true, minlength: minLength },
})}
${next !== null && hidden("next", next)}
<div class="row"><button class="primary">Set the password</button>${next !== null && html`<a class="button" href="${next}">Not now</a>`}</div>
</form>`,
  })
}
