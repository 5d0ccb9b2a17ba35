/** Accounts, for admins. Nobody else sees that there is such a page. */
import { Elysia } from "elysia"
import {
  findAccount,
  searchAccounts,
  setDisabledAsAdmin,
  setPlanAsAdmin,
} from "../../access/admin.ts"
import { readAudit } from "../../access/audit.ts"
import type { Changed, Editor } from "../../access/change.ts"
import type { SignedIn } from "../../access/sessions.ts"
import { listOwnTokens } from "../../access/token-list.ts"
import { type Plan, plans } from "../../db/account-tables.ts"
import { readForm } from "../kit/form.ts"
import { html } from "../kit/html.ts"
import { requireRecentSignIn, signedIn } from "../kit/page-context.ts"
import { notFound, pageNotFound } from "../kit/page-error.ts"
import { redirect } from "../kit/page-response.ts"
import { type AccountPage, accountPage } from "./admin-account-page.ts"
import { accountsPage } from "./admin-page.ts"
import { type AreaOptions, isAdmin } from "./area-options.ts"
import { makeChange, readId } from "./changes.ts"

export const admin = (options: AreaOptions) => {
  const { accountPool, changeAccount, usage, now } = options

  /** What is shown of an account. @throws PageError 404 */
  async function shown(id: number): Promise<Omit<AccountPage, "person">> {
    const account = await findAccount(accountPool, id, now())
    if (!account) throw noAccount(id)
    const [overview, tokens, { entries }] = await Promise.all([
      usage.overview(id, now()),
      listOwnTokens(accountPool, id, { now: now() }),
      readAudit(accountPool, id, null),
    ])
    return { account, overview, tokens, entries, now: now() }
  }

  return new Elysia({ name: "admin" })
    .use(signedIn(options))
    .resolve(({ person, address }) => ({
      /** Makes a change of an account, for the page to show it. @throws PageError */
      changeAsAdmin: (work: (editor: Editor) => Promise<Changed<void>>) =>
        makeChange(changeAccount, { person: admitted(person), address }, work),
    }))
    .get("/account/admin", async ({ person, query, page }) => {
      admitted(person)
      const [search, after] = [query.search ?? "", query.after ?? ""]
      const found = await searchAccounts(accountPool, { search, after, now: now() })
      return page(accountsPage({ ...found, search, isFirst: after === "" }))
    })
    .get("/account/admin/:id", async ({ person, params: { id }, query, page }) => {
      admitted(person)
      const isSaved = query.saved !== undefined
      return page(accountPage({ ...(await shown(readId(id))), person, isSaved }))
    })
    .post(
      "/account/admin/:id/plan",
      async ({ request, person, params: { id }, changeAsAdmin, page }) => {
        admitted(person)
        const accountId = readId(id)
        requireRecentSignIn(person, now(), pathOf(accountId))
        const form = await readForm(request)
        const entered = { plan: form.get("plan"), limit: form.get("limit").trim() }
        const { accountId: adminId } = person
        const plan = plans.find((each) => each === entered.plan)
        const requestLimit = readLimit(entered.limit)
        const { refusal } =
          plan === undefined || requestLimit === undefined
            ? { refusal: "The limit is a number of requests per hour, from 1 to 2147483646." }
            : await changeAsAdmin((editor) =>
                setPlanAsAdmin(editor, {
                  adminId,
                  accountId,
                  plan,
                  requestLimit: limitOn(plan, requestLimit),
                }),
              )
        if (refusal === undefined) return redirect(`${pathOf(accountId)}?saved`)
        return page({
          status: 400,
          ...accountPage({ ...(await shown(accountId)), person, entered, fault: refusal }),
        })
      },
      { parse: "none" },
    )
    .post(
      "/account/admin/:id/:action",
      async ({ person, params: { id, action }, changeAsAdmin, page }) => {
        admitted(person)
        if (action !== "disable" && action !== "enable") throw pageNotFound()
        const accountId = readId(id)
        requireRecentSignIn(person, now(), pathOf(accountId))
        const by = { adminId: person.accountId, accountId }
        const { refusal } = await changeAsAdmin((editor) =>
          setDisabledAsAdmin(editor, { ...by, disabled: action === "disable" }),
        )
        if (refusal === undefined) return redirect(`${pathOf(accountId)}?saved`)
        return page({
          status: 400,
          ...accountPage({ ...(await shown(accountId)), person, fault: refusal }),
        })
      },
      { parse: "none" },
    )
}

const pathOf = (accountId: number): string => `/account/admin/${accountId}`

/** @throws PageError as for a path that does not exist */
function admitted(person: SignedIn): SignedIn {
  if (!isAdmin(person)) throw pageNotFound()
  return person
}

/** Null where it is empty, undefined where it is not valid. */
function readLimit(text: string): number | null | undefined {
  if (text === "") return null
  const limit = /^\d{1,10}$/.test(text) ? Number(text) : 0
  return limit >= 1 && limit <= 2_147_483_646 ? limit : undefined
}

/** The field stays filled in when another plan is chosen, whose limit is fixed. */
const limitOn = (plan: Plan, limit: number | null): number | null =>
  plan === "enterprise" ? limit : null

const noAccount = (id: number) =>
  notFound(
    "account",
    String(id),
    "No account has this number. Search for the account by its email address.",
    html`<p><a class="button" href="/account/admin">Search the accounts</a></p>`,
  )
