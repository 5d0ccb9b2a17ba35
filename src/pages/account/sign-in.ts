/** Signing in with a password, and signing out. */
import { Elysia } from "elysia"
import { fold } from "../../text/fold.ts"
import { notice } from "../kit/components.ts"
import { readForm, readQuery } from "../kit/form.ts"
import { type Content, html } from "../kit/html.ts"
import { pageContext } from "../kit/page-context.ts"
import { redirect } from "../kit/page-response.ts"
import { sessionCookie } from "../kit/session-cookie.ts"
import type { AccountOptions } from "./account-options.ts"
import type { Faults } from "./account-page.ts"
import { signInPage } from "./sign-in-page.ts"
import { clientOf, emailFault, emailOf, goOnSignedIn, nextOf } from "./sign-in-request.ts"

/** Why a person is here, by its name in the address. */
const messages = new Map<string, Content>([
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
      return cookie === null ? refused({ password: wrong }) : goOnSignedIn(cookie, nextOf(form))
    })
    .post("/account/sign-out", async ({ session, address }) => {
      const person = await session()
      if (person) await sessions.end(person.accountId, person.sessionId, address)
      return redirect("/account/sign-in?reason=signed-out", sessionCookie.clear())
    })
}

const signedInAs = (email: string) =>
  notice(
    "neutral",
    html`<p>You are signed in as ${email}. If you sign in as somebody else here, that session ends. <a href="/account">Go to your account</a></p>`,
  )
