/** One account, for admins. */
import type { AccountSummary } from "../../access/admin.ts"
import type { AuditEntry } from "../../access/audit.ts"
import type { SignedIn } from "../../access/sessions.ts"
import type { OwnToken } from "../../access/token-list.ts"
import type { UsageOverview } from "../../access/usage-overview.ts"
import { plans } from "../../db/account-tables.ts"
import { type Column, field, notice, pageTitle, select, table } from "../kit/components.ts"
import { instant, isolated, number } from "../kit/format.ts"
import { type Html, html } from "../kit/html.ts"
import type { PageResult } from "../kit/page-context.ts"
import { accountTabs } from "./account-tabs.ts"
import { limitText, stateOf } from "./admin-page.ts"
import { auditTable } from "./audit.ts"
import { lastUsedText, prefixText, purpose } from "./token-table.ts"
import { usageCharts } from "./usage-page.ts"

export interface AccountPage {
  /** The admin. */
  person: SignedIn
  account: AccountSummary
  overview: UsageOverview
  tokens: readonly OwnToken[]
  entries: readonly AuditEntry[]
  now: Date
  isSaved?: boolean
  /** What was sent and refused, and why. */
  entered?: { plan: string; limit: string }
  fault?: string
}

export function accountPage(shown: AccountPage): PageResult {
  const { account, overview, tokens, entries, now, isSaved = false, fault } = shown
  const valid = tokens.filter(({ isValid }) => isValid)
  return {
    title: account.email,
    section: "account",
    main: html`${pageTitle(account.email, html`${stateOf(account)} On the ${account.plan} plan, limit per hour: ${limitText(account)}. Created ${instant(account.createdAt)}.`)}
${accountTabs("/account/admin", true)}
<div class="stack">
${isSaved && notice("good", "Saved. It is in effect from the next request on.", true)}
${fault && notice("bad", fault, true)}
<div class="columns">${planForm(shown)}${stateForm(shown)}</div>
${usageCharts(overview)}
<section class="stack" aria-labelledby="tokens"><h2 id="tokens">Tokens that can be used</h2>${table({ caption: "Tokens", columns: tokenColumns(overview, now), rows: valid, empty: "The account has no token that can be used." })}</section>
<section class="stack" aria-labelledby="audit"><h2 id="audit">Latest changes</h2>${auditTable(entries)}</section>
<p><a href="/account/admin">All accounts</a></p>
</div>`,
  }
}

function planForm({ account, entered }: AccountPage): Html {
  const { id, plan, requestLimit } = account
  return html`<section class="panel" aria-labelledby="plan-of"><h2 id="plan-of">Plan</h2>
<form method="post" action="/account/admin/${id}/plan" class="fields">
${select({ name: "plan", label: "Plan", value: entered?.plan ?? plan, choices: plans.map((each) => ({ value: each, label: each })) })}
${field({
  name: "limit",
  label: "Requests per hour",
  hint: "On the enterprise plan. The limits of the others are fixed.",
  input: { value: entered?.limit ?? requestLimit ?? "", inputmode: "numeric", autocomplete: "off" },
})}
<div><button class="primary">Change plan</button></div>
</form></section>`
}

function stateForm({ account: { id, email, disabledAt }, person }: AccountPage): Html {
  const isOwn = person.accountId === id
  return html`<section class="panel" aria-labelledby="state-of"><h2 id="state-of">State</h2>
${
  disabledAt === null
    ? html`<p>${isOwn ? "This is your own account: another admin can disable it." : "Disabling refuses its tokens from the next request on, and its owner can't sign in. Nothing is deleted, and it can be enabled again."}</p>
${!isOwn && html`<form method="post" action="/account/admin/${id}/disable"><button class="danger">Disable ${email}</button></form>`}`
    : html`<p>Disabled since ${instant(disabledAt)}: its tokens are refused, and its owner can't sign in.</p>
<form method="post" action="/account/admin/${id}/enable"><button>Enable ${email}</button></form>`
}</section>`
}

const tokenColumns = ({ tokens }: UsageOverview, now: Date): Column<OwnToken>[] => [
  { head: "Name", cell: ({ name }) => isolated(name) },
  { head: "Token", cell: prefixText, fixed: true },
  { head: "Purpose", cell: purpose, fixed: true },
  {
    head: "Last used",
    cell: (token) => lastUsedText(token, now),
    fixed: true,
  },
  {
    head: "Last 30 days",
    cell: ({ id }) => number(tokens.find(({ tokenId }) => tokenId === id)?.last30Days ?? 0),
    number: true,
  },
]
