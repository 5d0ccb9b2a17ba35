/** `/account/audit`: the changes of an account, each with its time, author and origin. */
import { Elysia } from "elysia"
import {
  type AuditEntry,
  auditSubject,
  columnsText,
  readAudit,
} from "../../../accounts/access/audit.ts"
import { table } from "../kit/components.ts"
import { timeElement } from "../kit/format.ts"
import { html } from "../kit/html.ts"
import { signedIn } from "../kit/page-context.ts"
import { readId } from "../kit/page-error.ts"
import { type AccountOptions, accountPage } from "./account-page.ts"

export const audit = (options: AccountOptions) =>
  new Elysia({ name: "audit" })
    .use(signedIn(options))
    .get("/account/audit", async ({ person, query, page }) => {
      const before = query.before === undefined ? null : readId(query.before)
      const { entries, next } = await readAudit(options.accountPool, person.accountId, before)
      return page(auditPage(entries, before !== null, next))
    })

const auditPage = (entries: readonly AuditEntry[], hasNewer: boolean, next: number | null) =>
  accountPage({
    title: "Audit",
    lead: "All changes to your account, tokens and sessions, newest first.",
    part: "/account/audit",
    main: html`${table({
      caption: "Changes",
      columns: [
        { head: "Time", cell: ({ at }) => timeElement(at), fixed: true },
        { head: "What", cell: auditSubject, fixed: true },
        { head: "Change", cell: ({ action }) => action },
        { head: "Values", cell: columnsText },
        { head: "By", cell: ({ who }) => who },
        { head: "From", cell: ({ origin }) => html`<span class="mono">${origin}</span>` },
      ],
      rows: entries,
      empty: "There are no older changes.",
    })}
<div class="toolbar"><nav aria-label="Pages">
${hasNewer && html`<a class="button" href="/account/audit">Newest</a>`}
${next !== null && html`<a class="button" href="/account/audit?before=${next}">Older</a>`}
</nav></div>`,
  })
