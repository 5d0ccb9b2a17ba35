/** What the account area is made of. */
import type { PageChange } from "../../access/page-changes.ts"
import type { Passwords } from "../../access/passwords.ts"
import type { RecentRequests } from "../../access/recent-requests.ts"
import type { Sessions } from "../../access/sessions.ts"
import type { SignInLimits } from "../../access/sign-in-limits.ts"
import type { SignInLinks } from "../../access/sign-in-links.ts"
import type { Usage } from "../../access/usage.ts"
import type { Windows } from "../../access/windows.ts"
import type { Pool } from "../../db/pool/pool.ts"
import type { PageOptions } from "../kit/page-context.ts"

export interface AccountOptions extends PageOptions {
  /** For reads. */
  accountPool: Pool
  changeAccount: PageChange
  usage: Pick<Usage, "overview">
  recentRequests: Pick<RecentRequests, "last">
  windows: Windows
  sessions: Sessions
  passwords: Passwords
  links: SignInLinks
  signInLimits: SignInLimits
  /** Mails a link, in the background; null where no mail server is set. With one, `baseUrl` is set too. */
  mailLink: ((link: MailedLink) => void) | null
  /** Whether people may make accounts themselves. */
  isSignUpOpen: boolean
}

export interface MailedLink {
  to: string
  /** The link's whole address. */
  url: string
  /** Whether there is no account yet: the link makes it. */
  isNewAccount: boolean
}
