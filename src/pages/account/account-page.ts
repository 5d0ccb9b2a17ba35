/** The frame of the pages of the account area. */
import { pageTitle, tabs } from "../kit/components.ts"
import { type Content, html } from "../kit/html.ts"
import type { PageResult } from "../kit/page-context.ts"

const parts = [
  { path: "/account", label: "Summary" },
  { path: "/account/tokens", label: "API Tokens" },
  { path: "/account/usage", label: "Usage" },
  { path: "/account/audit", label: "Audit" },
  { path: "/account/sessions", label: "Sessions" },
  { path: "/account/password", label: "Password" },
] as const

/** What is wrong with the fields of a form, by their ids. */
export type Faults = Readonly<Record<string, string>>

export interface AccountPage extends PageResult {
  /** The title, unless it is given. */
  heading?: Content
  /** A sentence that says what the page shows. */
  lead?: Content
  /** Which of the parts it belongs to. Pages for signing in show no tabs. */
  part?: (typeof parts)[number]["path"]
  /** With one, the status is 400. */
  faults?: Faults
}

export const accountPage = (page: AccountPage): PageResult => {
  const { heading, lead, part, faults = {}, main, ...result } = page
  return {
    ...(Object.keys(faults).length > 0 && { status: 400 }),
    ...result,
    section: "account",
    main: html`${pageTitle(heading ?? result.title, lead)}
${part && tabs("Account", parts, part)}
<div class="stack">${main}</div>`,
  }
}
