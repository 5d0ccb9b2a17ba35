/** Audit: what was changed in an account, when, by whom and from where. */
import { Elysia } from "elysia"
import { type AuditEntry, type AuditPage, readAudit } from "../../access/audit.ts"
import { pageTitle, table } from "../kit/components.ts"
import { instant } from "../kit/format.ts"
import { type Html, html } from "../kit/html.ts"
import { type PageResult, signedIn } from "../kit/page-context.ts"
import { accountTabs } from "./account-tabs.ts"
import type { AreaOptions } from "./area-options.ts"
import { entryInWords } from "./audit-words.ts"
import { readId } from "./changes.ts"

export const audit = (options: AreaOptions) =>
  new Elysia({ name: "audit" })
    .use(signedIn(options))
    .get("/account/audit", async ({ person, query, page }) => {
      const before = query.before === undefined ? null : readId(query.before)
      const shown = await readAudit(options.accountPool, person.accountId, before)
      return page(auditPage(shown, { isFirst: before === null }))
    })

const auditPage = (
  { entries, next }: AuditPage,
  { isFirst }: { isFirst: boolean },
): PageResult => ({
  title: "Audit",
  section: "account",
  main: html`${pageTitle("Audit", "Every change of your account, its tokens and its sign-ins, the newest first, however it was made.")}
${accountTabs("/account/audit")}
${auditTable(entries)}
<div class="below-table"><nav aria-label="Pages">${!isFirst && html`<a class="button" href="/account/audit">Newest</a>`} ${next !== null && html`<a class="button" href="/account/audit?before=${next}">Older</a>`}</nav></div>`,
})

export const auditTable = (entries: readonly AuditEntry[]): Html =>
  table({
    caption: "Changes",
    columns: [
      { head: "Time", cell: ({ at }) => instant(at), fixed: true },
      { head: "What", cell: entryInWords },
      { head: "By", cell: ({ who }) => who },
      { head: "From", cell: ({ origin }) => html`<span class="mono">${origin}</span>` },
    ],
    rows: entries,
    empty: "There are no older changes.",
  })
