/** The options of the account area, and the frame of its pages. */
import type { PageChange } from "../../../accounts/access/change.ts"
import type { RecentRequests } from "../../../accounts/access/recent-requests.ts"
import type { Sessions } from "../../../accounts/access/sessions.ts"
import type { LimitLinks, SignInLinks } from "../../../accounts/access/sign-in-links.ts"
import type { Usage } from "../../../accounts/access/usage.ts"
import type { Windows } from "../../../accounts/access/windows.ts"
import type { WebhookSettings } from "../../../accounts/alerts/webhook.ts"
import type { Pool } from "../../../data/db/pool/pool.ts"
import { pageTitle, tabs } from "../kit/components.ts"
import { type Content, html } from "../kit/html.ts"
import type { PageOptions, PageResult } from "../kit/page-context.ts"

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
  /** Checks the server, and mails the link if there is one, in the background. */
  send(link: MailedLink | null): void
  /** Whether so many mails wait that the next one would not be sent. */
  isFull(): boolean
  /** Whether the last check failed. */
  isFailing(): boolean
}

export interface MailedLink {
  to: string
  /** The link's whole URL. */
  url: string
  /** Whether the link creates the account. */
  isNewAccount: boolean
}

const parts = [
  { path: "/account", title: "Summary" },
  { path: "/account/tokens", title: "API tokens" },
  { path: "/account/watches", title: "Watches" },
  { path: "/account/usage", title: "Usage" },
  { path: "/account/audit", title: "Audit" },
  { path: "/account/sessions", title: "Sessions" },
] as const

/** Error messages by the ids of form fields. */
export type Faults = Readonly<Record<string, string>>

export interface AccountPage extends PageResult {
  /** The title, unless it is given. */
  heading?: Content
  /** A sentence about the page. */
  lead?: Content
  /** The current tab. Pages for signing in show no tabs. */
  part?: (typeof parts)[number]["path"]
  /** With one, the status is 400. */
  faults?: Faults
}

export const accountPage = (page: AccountPage): PageResult => {
  const { heading, lead, part, faults = {}, main, ...result } = page
  return {
    ...(Object.keys(faults).length > 0 && { status: 400 }),
    ...result,
    section: "/account",
    main: html`${pageTitle(heading ?? result.title, lead, part && tabs("Account", parts, part))}
<div class="stack">${main}</div>`,
  }
}
