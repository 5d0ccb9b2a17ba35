/** The list of accounts. */
import type { AccountSummary, AccountsPage } from "../../access/admin.ts"
import { limitOf } from "../../access/plan.ts"
import { type Column, field, pageTitle, status, table } from "../kit/components.ts"
import { count, instant, number } from "../kit/format.ts"
import { type Html, html } from "../kit/html.ts"
import type { PageResult } from "../kit/page-context.ts"
import { accountTabs } from "./account-tabs.ts"

export const accountsPage = ({
  accounts,
  total,
  next,
  search,
  isFirst,
}: AccountsPage & { search: string; isFirst: boolean }): PageResult => ({
  title: "Accounts",
  section: "account",
  main: html`${pageTitle("Accounts", html`${count(total, "account")}${search !== "" && html` whose email address contains “${search}”`}, by email address. Requests of the last seconds are not yet counted.`)}
${accountTabs("/account/admin", true)}
<div class="stack">
<form method="get" action="/account/admin" class="panel row" role="search"><div class="grow">${field({ name: "search", label: "Part of the email address", input: { type: "search", value: search, autocomplete: "off" } })}</div><button class="primary">Search</button>${search !== "" && html` <a class="button quiet" href="/account/admin">Clear</a>`}</form>
${table({ caption: "Accounts", columns, rows: accounts, empty: "No account has such an email address." })}
<div class="below-table"><nav aria-label="Pages">${!isFirst && html`<a class="button" href="${pagePath(search, "")}">First</a>`} ${next !== null && html`<a class="button" href="${pagePath(search, next)}">Next</a>`}</nav></div>
</div>`,
})

const pagePath = (search: string, after: string): string => {
  const query = new URLSearchParams({ ...(search && { search }), ...(after && { after }) })
  return query.size > 0 ? `/account/admin?${query}` : "/account/admin"
}

const columns: Column<AccountSummary>[] = [
  { head: "Email", cell: ({ id, email }) => html`<a href="/account/admin/${id}">${email}</a>` },
  { head: "Plan", cell: ({ plan }) => plan, fixed: true },
  { head: "Limit per hour", cell: limitText, number: true },
  { head: "Tokens", cell: ({ validTokens }) => number(validTokens), number: true },
  { head: "Last 24 hours", cell: (account) => number(account.requestsOfLastDay), number: true },
  { head: "Last 30 days", cell: (account) => number(account.requestsOfLast30Days), number: true },
  { head: "Created", cell: ({ createdAt }) => instant(createdAt), fixed: true },
  { head: "State", cell: stateOf, fixed: true },
]

export function limitText({ plan, requestLimit }: AccountSummary): string {
  const limit = limitOf(plan, requestLimit)
  return Number.isFinite(limit) ? number(limit) : "none"
}

export function stateOf({ disabledAt }: AccountSummary): Html {
  return disabledAt === null ? status("enabled", "good") : status("disabled", "bad")
}
