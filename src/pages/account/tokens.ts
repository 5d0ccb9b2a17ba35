/** `/account/tokens`: the list of tokens, and creating one. */
import { Elysia } from "elysia"
import { AccountError } from "../../access/change.ts"
import { listOwnTokens } from "../../access/token-list.ts"
import { createOwnToken } from "../../access/tokens.ts"
import { dayMs } from "../../text/durations.ts"
import { type Form, foreignForm, readForm, readQuery } from "../kit/form.ts"
import { isRecentSignIn, requireRecentSignIn, signedIn } from "../kit/page-context.ts"
import type { AccountOptions } from "./account-options.ts"
import { newTokenPage, readFormId, unconfirmedNotice } from "./new-token.ts"
import { lifetimes, tokensPage } from "./tokens-page.ts"

export const tokens = (options: AccountOptions) => {
  const { accountPool, changeAccount, now } = options
  return new Elysia({ name: "tokens" })
    .use(signedIn(options))
    .resolve(({ person }) => ({
      listPage: async (entered: Form, fault?: string) => {
        const tokens = await listOwnTokens(accountPool, person.accountId, { now: now() })
        const mayCreate = isRecentSignIn(person, now())
        return tokensPage({ tokens, mayCreate, now: now(), entered, ...(fault && { fault }) })
      },
    }))
    .get("/account/tokens", async ({ request, listPage, page }) =>
      page(await listPage(readQuery(request))),
    )
    .post("/account/tokens", async ({ request, person, address, publicUrl, listPage, page }) => {
      const form = await readForm(request)
      const [name, lifetime, formId] = [form.get("name"), form.get("lifetime"), readFormId(form)]
      if (!lifetimes.some(({ value }) => value === lifetime)) throw foreignForm()
      requireRecentSignIn(person, now(), `/account/tokens?${new URLSearchParams({ name })}`)
      const { accountId, email } = person
      try {
        const { value, unconfirmed } = await changeAccount(
          { accountId, email, address },
          (editor) =>
            createOwnToken(editor, {
              accountId,
              name,
              now: now(),
              expiresAt:
                lifetime === "" ? null : new Date(now().getTime() + Number(lifetime) * dayMs),
              forSpreadsheets: form.has("for_spreadsheets"),
              formId,
            }),
        )
        const notices = unconfirmed !== 0 && unconfirmedNotice
        return page(newTokenPage({ made: value, publicUrl, title: "Token created", notices }))
      } catch (error) {
        if (!(error instanceof AccountError)) throw error
        return page({ ...(await listPage(form, `${error.message}.`)), status: 400 })
      }
    })
}
