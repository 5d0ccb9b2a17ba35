/** Signing in with a password, and signing out. */
import { Elysia } from "elysia"
import { fold } from "../../text/fold.ts"
import { notice } from "../kit/components.ts"
import { readForm } from "../kit/form.ts"
import { type Content, html } from "../kit/html.ts"
import { pageContext } from "../kit/page-context.ts"
import { redirect } from "../kit/page-response.ts"
import { sessionCookie } from "../kit/session-cookie.ts"
import type { SignInOptions } from "./account-options.ts"
import { type SignInPage, signInPage } from "./sign-in-page.ts"
import {
  clientOf,
  emailFault,
  emailOf,
  goOnSignedIn,
  keepsCookie,
  nextOf,
  pastLimit,
  queryOf,
  unlessBusy,
} from "./sign-in-request.ts"

/** Why a person is here, by its name in the address. */
const messages = new Map<string | null, Content>([
  [
    "again",
    notice(
      "waiting",
      "Sign in again to go on: this gives access to others, and you signed in more than an hour ago.",
    ),
  ],
  [
    "link",
    notice(
      "waiting",
      "Sign in with a one-time link to choose a password: the link shows that your email address is yours.",
    ),
  ],
  ["signed-out", notice("good", "You are signed out.")],
  ["signed-out-everywhere", notice("good", "You are signed out on every device.")],
])

export const signIn = (options: SignInOptions) => {
  const { sessions, passwords, signInLimits, mailLink, isSignUpOpen, baseUrl, now } = options

  const shownFor = (
    request: Request,
    next: string,
  ): Pick<SignInPage, "next" | "isMailSet" | "isSignUpOpen" | "keepsCookie"> => ({
    next,
    isMailSet: mailLink !== null,
    isSignUpOpen,
    keepsCookie: keepsCookie(request, baseUrl),
  })

  return new Elysia({ name: "sign-in" })
    .use(pageContext(options))
    .get("/account/sign-in", ({ request, session, page }) => {
      const query = queryOf(request)
      return page(
        signInPage({
          ...shownFor(request, nextOf(query.get("next"))),
          email: session?.email ?? "",
          message: messages.get(query.get("reason")) ?? (session && signedInAs(session.email)),
        }),
      )
    })
    .post(
      "/account/sign-in",
      async ({ request, address, session, page }) => {
        const form = await readForm(request)
        const [email, password] = [emailOf(form), form.get("password")]
        const next = nextOf(form.get("next"))
        const refused = (refusal: Partial<SignInPage>) =>
          page(signInPage({ ...shownFor(request, next), email, status: 400, ...refusal }))

        const fault = emailFault(email)
        if (fault !== undefined) return refused({ faults: { email: fault } })
        if (password === "") return refused({ faults: { password: "Enter your password" } })
        const isOwn = session !== null && fold(session.email) === fold(email)
        let accountId: number | null
        try {
          const sessionId = isOwn ? session.sessionId : undefined
          const { count, succeeded } = await signInLimits.attempt(email, address, sessionId)
          accountId = await unlessBusy(
            passwords.accountOf(email, { password, address, onTurn: count }),
          )
          if (accountId !== null) await succeeded()
        } catch (error) {
          const { until, ...limited } = pastLimit(error, now())
          const way = mailLink ? "have a link sent" : "ask for a one-time link"
          return refused({
            ...limited,
            faults: { form: html`Too many attempts to sign in. Try again at ${until}, or ${way}.` },
          })
        }
        const cookie =
          accountId === null
            ? null
            : await sessions.start(accountId, clientOf(request, address), now(), {
                replaces: session,
              })
        if (cookie === null) {
          return refused({ faults: { password: "The email address or the password is wrong" } })
        }
        return goOnSignedIn(cookie, next)
      },
      { parse: "none" },
    )
    .post(
      "/account/sign-out",
      async ({ session, address }) => {
        if (session) await sessions.end(session.accountId, session.sessionId, address)
        return redirect("/account/sign-in?reason=signed-out", sessionCookie.clear())
      },
      { parse: "none" },
    )
}

const signedInAs = (email: string) =>
  notice(
    "neutral",
    html`<p>You are signed in as ${email}. If you sign in as somebody else here, that session ends. <a href="/account">Go to your account</a></p>`,
  )
