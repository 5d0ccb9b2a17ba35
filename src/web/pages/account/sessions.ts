/** Lists the sessions of a person, and ends them. */
import { Elysia } from "elysia"
import {
  listSessions,
  type SessionRow,
  type SignedIn,
  signOut,
} from "../../../accounts/access/sessions.ts"
import { hidden, statusBadge, type TableColumn, table } from "../kit/components.ts"
import { readForm } from "../kit/form.ts"
import { instantAgo, timeElement } from "../kit/format.ts"
import { html } from "../kit/html.ts"
import { signedIn } from "../kit/page-context.ts"
import { redirect, sessionCookie } from "../kit/page-response.ts"
import { type AccountOptions, accountPage } from "./account-page.ts"

export const sessionList = (options: AccountOptions) => {
  const { accountPool, changeAccount, sessions, now } = options
  return new Elysia({ name: "session-list" })
    .use(signedIn(options))
    .get("/account/sessions", async ({ person, page }) => {
      const rows = await listSessions(accountPool, person.accountId, now())
      return page(sessionsPage(rows, person, now().getTime()))
    })
    .post("/account/sessions/end", async ({ request, person, address }) => {
      const id = (await readForm(request)).get("session")
      await sessions.end({ ...person, address }, id)
      return id === person.sessionId
        ? redirect("/account/sign-in?reason=signed-out", sessionCookie.clear())
        : redirect("/account/sessions")
    })
    .post("/account/sessions/end-all", async ({ person, address }) => {
      await changeAccount({ ...person, address }, (editor) => signOut(editor, person.email))
      return redirect("/account/sign-in?reason=signed-out-everywhere", sessionCookie.clear())
    })
}

const sessionsPage = (rows: readonly SessionRow[], person: SignedIn, nowMs: number) =>
  accountPage({
    title: "Sessions",
    lead: "Where you are signed in. A session ends 90 days after its last use, or a year after signing in.",
    part: "/account/sessions",
    main: html`${table({ caption: "Sessions", columns: columns(person.sessionId, nowMs), rows, empty: "You are signed in nowhere." })}
<div class="row">
<form method="post" action="/account/sign-out"><button>Sign out here</button></form>
<form method="post" action="/account/sessions/end-all"><button class="danger">Sign out everywhere</button></form>
</div>
<p class="muted small">Signing out everywhere also ends your unused one-time links. API tokens stay valid.</p>`,
  })

const columns = (currentId: string, nowMs: number): TableColumn<SessionRow>[] => [
  {
    head: "Browser",
    cell: ({ id, userAgent }) =>
      html`${browserName(userAgent)}${id === currentId && html` ${statusBadge("this one", "good")}`}`,
  },
  {
    head: "Last seen",
    fixed: true,
    cell: ({ lastSeenAt }) => instantAgo(lastSeenAt, nowMs),
  },
  {
    head: "Signed in",
    fixed: true,
    cell: ({ signedInAt }) => timeElement(signedInAt),
  },
  { head: "From", fixed: true, cell: ({ address }) => html`<span class="mono">${address}</span>` },
  {
    head: "Action",
    cell: ({
      id,
      userAgent,
      signedInAt,
    }) => html`<form method="post" action="/account/sessions/end">
${hidden("session", id)}
<button class="quiet">Sign out<span class="visually-hidden"> ${browserName(userAgent)},
signed in ${signedInAt}</span></button>
</form>`,
  },
]

/** In the order of the search: most browsers name others as well. */
const browsers: readonly [pattern: RegExp, name: string][] = [
  [/\bEdgA?\/|\bEdgiOS\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/Chrom(?:e|ium)\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
]

const systems: readonly [pattern: RegExp, name: string][] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMacintosh\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
]

/** A user agent in words: `Firefox on Windows`. */
export function browserName(userAgent: string): string {
  const find = (table: typeof browsers) => table.find(([pattern]) => pattern.test(userAgent))?.[1]
  const [browser, system] = [find(browsers), find(systems)]
  if (browser === undefined)
    return system === undefined ? "Unknown browser" : `A browser on ${system}`
  return system === undefined ? browser : `${browser} on ${system}`
}
