/** Choosing and changing a password. */
import { Elysia } from "elysia"
import { maxLength, minLength, passwordFault } from "../../access/password-rules.ts"
import type { SignedIn } from "../../access/sessions.ts"
import { field, hidden, notice, pageTitle } from "../kit/components.ts"
import { readForm } from "../kit/form.ts"
import { type Content, html } from "../kit/html.ts"
import { isRecentSignIn, type PageResult, signedIn } from "../kit/page-context.ts"
import { SignInRequired } from "../kit/page-error.ts"
import { redirect } from "../kit/page-response.ts"
import type { SignInOptions } from "./account-options.ts"
import { accountTabs } from "./account-tabs.ts"
import { nextOf, pastLimit, queryOf, unlessBusy } from "./sign-in-request.ts"

export const password = (options: SignInOptions) => {
  const { passwords, signInLimits, now } = options

  /**
   * What proves that the session's owner is at work: a one-time link used within the hour, or else the
   * current password. A first password needs the link, because a stolen session must not set one.
   */
  async function proofOf(person: SignedIn): Promise<{ isSet: boolean; asksForCurrent: boolean }> {
    const isSet = await passwords.isSet(person.accountId)
    const hasRecentLink = person.method === "link" && isRecentSignIn(person, now())
    if (!isSet && !hasRecentLink) throw new SignInRequired("link")
    return { isSet, asksForCurrent: !hasRecentLink }
  }

  return new Elysia({ name: "password" })
    .use(signedIn(options))
    .get("/account/password", async ({ request, person, page }) => {
      const query = queryOf(request)
      return page(
        passwordPage({
          person,
          ...(await proofOf(person)),
          next: query.has("next") ? nextOf(query.get("next")) : null,
          isDone: query.has("done"),
        }),
      )
    })
    .post(
      "/account/password",
      async ({ request, person, address, page }) => {
        const proof = await proofOf(person)
        const form = await readForm(request)
        const [current, chosen] = [form.get("current"), form.get("password")]
        const next = form.has("next") ? nextOf(form.get("next")) : null
        const refused = (faults: Faults, result: Pick<PageResult, "status" | "headers"> = {}) =>
          page({ status: 400, ...result, ...passwordPage({ person, ...proof, next, faults }) })

        const fault = passwordFault(chosen, person.email)
        if (fault !== null) return refused({ password: fault })
        if (proof.asksForCurrent) {
          const { accountId, email, sessionId } = person
          try {
            const { count, succeeded } = await signInLimits.attempt(email, address, sessionId)
            if (
              !(await unlessBusy(
                passwords.isCurrent(accountId, { password: current, address, onTurn: count }),
              ))
            ) {
              return refused({ current: "This is not your current password" })
            }
            await succeeded()
          } catch (error) {
            const { until, ...limited } = pastLimit(error, now())
            const form = html`Too many attempts. Try again at ${until}, or sign in with a one-time link.`
            return refused({ form }, limited)
          }
        }
        if (!(await unlessBusy(passwords.set(person, chosen, address)))) throw new SignInRequired()
        return redirect(next ?? "/account/password?done")
      },
      { parse: "none" },
    )
}

interface Faults {
  form?: Content
  current?: string
  password?: string
}

interface PasswordPage {
  person: SignedIn
  isSet: boolean
  asksForCurrent: boolean
  /** Where to go afterwards; null where the person came here to change the password. */
  next: string | null
  isDone?: boolean
  faults?: Faults
}

function passwordPage({
  person,
  isSet,
  asksForCurrent,
  next,
  isDone = false,
  faults = {},
}: PasswordPage): PageResult {
  const title = isSet ? "Change your password" : "Choose a password"
  const lead = isSet
    ? "A new password ends all other sessions of your account."
    : "With a password you can sign in without a one-time link. You can go on without one."
  return {
    title,
    section: "account",
    main: html`${pageTitle(title, lead)}
${next === null && accountTabs("/account/password")}
<div class="stack">
${isDone && notice("good", "Your password is set. All other sessions have ended.", true)}
${faults.form && notice("bad", faults.form, true)}
<form method="post" action="/account/password" class="panel fields form-narrow">
${field({ id: "username", name: "username", label: "Account", input: { value: person.email, autocomplete: "username", readonly: true } })}
${
  asksForCurrent &&
  field({
    name: "current",
    label: "Current password",
    fault: faults.current,
    input: { type: "password", autocomplete: "current-password", required: true },
  })
}
${field({
  name: "password",
  label: "New password",
  hint: `${minLength} to ${maxLength} characters of any kind. A few random words are good.`,
  fault: faults.password,
  input: { type: "password", autocomplete: "new-password", required: true, minlength: minLength },
})}
${next !== null && hidden("next", next)}
<div class="row"><button class="primary">Set the password</button>${next !== null && html`<a class="button" href="${next}">Not now</a>`}</div>
</form></div>`,
  }
}
