/** `/account/audit`: what was changed in an account, when, by whom and from where. */
import { Elysia } from "elysia"
import { type AuditEntry, type AuditPage, readAudit } from "../../access/audit.ts"
import { table } from "../kit/components.ts"
import { instant } from "../kit/format.ts"
import { html } from "../kit/html.ts"
import { signedIn } from "../kit/page-context.ts"
import { readId } from "../kit/page-error.ts"
import type { AccountOptions } from "./account-options.ts"
import { accountPage } from "./account-page.ts"

export const audit = (options: AccountOptions) =>
  new Elysia({ name: "audit" })
    .use(signedIn(options))
    .get("/account/audit", async ({ person, query, page }) => {
      const before = query.before === undefined ? null : readId(query.before)
      const { entries, next } = await readAudit(options.accountPool, person.accountId, before)
      return page(auditPage(entries, before !== null, next))
    })

const auditPage = (entries: readonly AuditEntry[], hasNewer: boolean, next: AuditPage["next"]) =>
  accountPage({
    title: "Audit",
    lead: "Every change of your account, its tokens and its sign-ins, the newest first, however it was made.",
    part: "/account/audit",
    main: html`${table({
      caption: "Changes",
      columns: [
        { head: "Time", cell: ({ at }) => instant(at), fixed: true },
        { head: "What", cell: entryInWords },
        { head: "By", cell: ({ who }) => who },
        { head: "From", cell: ({ origin }) => html`<span class="mono">${origin}</span>` },
      ],
      rows: entries,
      empty: "There are no older changes.",
    })}
<div class="below-table"><nav aria-label="Pages">${hasNewer && html`<a class="button" href="/account/audit">Newest</a>`} ${next !== null && html`<a class="button" href="/account/audit?before=${next}">Older</a>`}</nav></div>`,
  })

/** In sentences; other columns have their own names. */
const columnNames: Readonly<Record<string, string>> = {
  request_limit: "limit per hour",
  expires_at: "expiry",
  for_spreadsheets: "for spreadsheets",
  revoked_at: "revoked",
  disabled_at: "disabled",
  method: "by",
}

/** They tell what changed, and nothing more: an entry has its own time. */
const subjects: Readonly<Record<string, string>> = {
  password_set_at: "Password",
  signed_in_at: "Session",
}

/** `Token mds_1a2b3c4d changed: name “a” → “b”` */
export function entryInWords({ action, columns, tokenPrefix }: AuditEntry): string {
  const details = Object.entries(columns)
    .filter(([name]) => name !== "account_id" && !(name in subjects))
    .flatMap(([column, [before, after]]) => {
      const name = columnNames[column] ?? column
      if (action === "changed") return [`${name} ${valueText(before)} → ${valueText(after)}`]
      const value = action === "created" ? after : before
      return value === null || value === false ? [] : [`${name} ${valueText(value)}`]
    })
  const kind = Object.keys(columns).find((name) => name in subjects) ?? ""
  const subject = tokenPrefix === null ? (subjects[kind] ?? "Account") : `Token ${tokenPrefix}`
  return `${subject} ${action}${details.length > 0 ? `: ${details.join(", ")}` : ""}`
}

/** The database writes times in UTC, with an offset. */
function valueText(value: unknown): string {
  if (value === null || value === false) return "no"
  if (value === true) return "yes"
  const text = String(value)
  return /^\d{4}-\d\d-\d\dT/.test(text) ? `${text.slice(0, 16).replace("T", " ")} UTC` : text
}
