/** The options of the account area, and the frame of its pages. */
import type { PageChange } from "../../../accounts/access/change.ts"
import type { RecentRequests } from "../../../accounts/access/recent-requests.ts"
import type { Sessions } from "../../../accounts/access/sessions.ts"
import type {
  LimitLinks,
  LinkPurpose,
  SignInLinks,
} from "../../../accounts/access/sign-in-links.ts"
import type { Usage } from "../../../accounts/access/usage.ts"
import type { Windows } from "../../../accounts/access/windows.ts"
import type { WebhookSettings } from "../../../accounts/alerts/webhook.ts"
import type { Pool } from "../../../data/db/pool/pool.ts"
import { pageTitle, tabs } from "../kit/components.ts"
import { type Content, html } from "../kit/html.ts"
import type { PageOptions, PageResult } from "../kit/page-context.ts"
import { notFound } from "../kit/page-error.ts"

export interface AccountOptions extends PageOptions {
  /** For reads. */
  accountPool: Pool
  changeAccount: PageChange
  usage: Pick<Usage, "overview">
  recentRequests: Pick<RecentRequests, "last">
  windows: Windows
  sessions: Sessions
  links: SignInLinks
  limitLinks: LimitLinks
  /** Null without a mail server. With one, `baseUrl` is set too. */
  linkMail: LinkMail | null
  /** Whether people may make accounts themselves. */
  isSignUpOpen: boolean
  webhookSettings: WebhookSettings
}

export interface LinkMail {
  /** Checks the server, and mails the link if there is one, in the background. @param link with its whole URL */
  send(link: (LinkPurpose & { url: string }) | null): void
  /** Whether so many mails wait that the next one would not be sent. */
  isFull(): boolean
  /** Whether the last check failed. */
  isFailing(): boolean
}

const parts = [
  { path: "/account", title: "Summary" },
  { path: "/account/tokens", title: "API tokens" },
  { path: "/account/watches", title: "Watches" },
  { path: "/account/usage", title: "Usage" },
  { path: "/account/audit", title: "Audit" },
  { path: "/account/sessions", title: "Sessions" },
] as const

export interface AccountPage extends PageResult {
  /** The title, unless it is given. */
  heading?: Content
  /** A sentence about the page. */
  lead?: Content
  /** The current tab. Pages for signing in show no tabs. */
  part?: (typeof parts)[number]["path"]
  /** What is wrong with the form. With it, the status is 400. */
  fault?: string | undefined
}

export const accountPage = (page: AccountPage): PageResult => {
  const { heading, lead, part, fault, main, ...result } = page
  return {
    ...(fault && { status: 400 }),
    ...result,
    section: "/account",
    main: html`${pageTitle(heading ?? result.title, lead, part && tabs("Account", parts, part))}
<div class="stack">${main}</div>`,
  }
}

/** Also for a token or a watch of another account. */
export function noOwn(kind: "token" | "watch", id: string) {
  const plural = kind === "token" ? "tokens" : "watches"
  const next = html`<p><a class="button" href="/account/${plural}">Go to your ${plural}</a></p>`
  return notFound(kind, id, `Your account has no ${kind} with this number.`, next)
}
