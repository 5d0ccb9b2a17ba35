/** API Tokens: listing and creating them. */
import { Elysia } from "elysia"
import { listOwnTokens, type OwnToken } from "../../access/token-list.ts"
import { createOwnToken } from "../../access/tokens.ts"
import { dayMs } from "../../text/durations.ts"
import { choiceFault } from "../kit/components.ts"
import { type Form, readForm } from "../kit/form.ts"
import { isRecentSignIn, requireRecentSignIn, signedIn } from "../kit/page-context.ts"
import type { AreaOptions } from "./area-options.ts"
import { makeChange, readFormId, unconfirmedNotice } from "./changes.ts"
import { tokenShownPage } from "./token-shown.ts"
import { type EnteredToken, lifetimes, type TokensPage, tokensPage } from "./tokens-page.ts"

export const tokens = (options: AreaOptions) => {
  const { accountPool, changeAccount, now } = options
  return new Elysia({ name: "tokens" })
    .use(signedIn(options))
    .get("/account/tokens", async ({ person, query, page }) =>
      page(
        tokensPage({
          tokens: await listOwnTokens(accountPool, person.accountId, { now: now() }),
          mayCreate: isRecentSignIn(person, now()),
          now: now(),
          typedName: query.name,
          revoked: query.revoked,
          isConfirmed: query.unconfirmed === undefined,
        }),
      ),
    )
    .post(
      "/account/tokens",
      async ({ request, person, address, publicUrl, page }) => {
        const entered = readEntered(await readForm(request))
        const typed = new URLSearchParams({ name: entered.name })
        requireRecentSignIn(person, now(), `/account/tokens?${typed}`)
        const { name, forSpreadsheets, formId, lifetime } = entered
        const refusal = async (faults: Pick<TokensPage, "fault" | "lifetimeFault">) => {
          const own = await listOwnTokens(accountPool, person.accountId, { now: now() })
          return page(refused(own, { entered, ...faults }))
        }
        const lifetimeFault = choiceFault(lifetimes, lifetime)
        if (lifetimeFault !== undefined) return refusal({ lifetimeFault })
        const outcome = await makeChange(changeAccount, { person, address }, (editor) =>
          createOwnToken(editor, {
            accountId: person.accountId,
            name,
            now: now(),
            expiresAt: expiryAfter(lifetime, now()),
            forSpreadsheets,
            formId,
          }),
        )
        if (outcome.refusal !== undefined) return refusal({ fault: outcome.refusal })
        return page(
          tokenShownPage({
            made: outcome.value,
            publicUrl,
            title: "Token created",
            notes: unconfirmedNotice(outcome.isConfirmed),
          }),
        )
      },
      { parse: "none" },
    )

  function refused(
    own: OwnToken[],
    shown: Pick<TokensPage, "entered" | "fault" | "lifetimeFault">,
  ) {
    return { status: 400, ...tokensPage({ tokens: own, mayCreate: true, now: now(), ...shown }) }
  }
}

/** @param lifetime one of the choices */
const expiryAfter = (lifetime: string, now: Date): Date | null =>
  lifetime === "" ? null : new Date(now.getTime() + Number(lifetime) * dayMs)

/** @throws PageError */
const readEntered = (form: Form): EnteredToken => ({
  name: form.get("name"),
  lifetime: form.get("lifetime"),
  forSpreadsheets: form.has("for_spreadsheets"),
  formId: readFormId(form.get("form")),
})
