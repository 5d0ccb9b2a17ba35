/** `/account/tokens`: the list of tokens, and creating one. */
import { Elysia } from "elysia"
import { AccountError } from "../../../accounts/access/change.ts"
import {
  listOwnTokens,
  maxEndedTokens,
  type OwnToken,
} from "../../../accounts/access/token-list.ts"
import { createOwnToken } from "../../../accounts/access/tokens.ts"
import { dayMs } from "../../../system/text/time.ts"
import { formField, notice, panel, statusBadge, table } from "../kit/components.ts"
import { type Form, foreignForm, readForm, readQuery } from "../kit/form.ts"
import { count, instantAgo, isolated, timeElement } from "../kit/format.ts"
import { type Content, type Html, html } from "../kit/html.ts"
import { isRecentSignIn, requireRecentSignIn, signedIn } from "../kit/page-context.ts"
import { signInPath } from "../kit/page-error.ts"
import { type AccountOptions, accountPage } from "./account-page.ts"
import { newTokenPage, unconfirmedNotice } from "./new-token.ts"
import { agoText, nameField, prefixText, tokenPath } from "./token.ts"

export const tokensRoutes = (options: AccountOptions) => {
  const { accountPool, changeAccount, now } = options
  return new Elysia({ name: "tokens" })
    .use(signedIn(options))
    .resolve(({ person }) => ({
      listPage: async (entered: Form, fault?: string) => {
        const tokens = await listOwnTokens(accountPool, person.accountId, now())
        const mayCreate = isRecentSignIn(person, now())
        return tokensPage({ tokens, mayCreate, now: now(), entered, fault })
      },
    }))
    .get("/account/tokens", async ({ request, listPage, page }) =>
      page(await listPage(readQuery(request))),
    )
    .post("/account/tokens", async ({ request, person, address, publicUrl, listPage, page }) => {
      const form = await readForm(request)
      const [name, lifetime] = [form.get("name"), form.get("lifetime")]
      if (!lifetimes.some(({ value }) => value === lifetime)) throw foreignForm()
      const entered = new URLSearchParams({ name, lifetime })
      requireRecentSignIn(person, now(), `/account/tokens?${entered}`)
      const expiresAt =
        lifetime === "" ? null : new Date(now().getTime() + Number(lifetime) * dayMs)
      const row = { accountId: person.accountId, name, now: now(), expiresAt }
      try {
        const { value, unconfirmed } = await changeAccount({ ...person, address }, (editor) =>
          createOwnToken(editor, row),
        )
        return page(newTokenPage({ made: value, publicUrl, isConfirmed: unconfirmed === 0 }))
      } catch (error) {
        if (!(error instanceof AccountError)) throw error
        return page(await listPage(form, `${error.message}.`))
      }
    })
}

/** In days; empty for no expiry. */
const lifetimes = [
  { value: "", label: "Never" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
]

interface TokensPage {
  tokens: readonly OwnToken[]
  /** Whether the person signed in recently enough. */
  mayCreate: boolean
  now: Date
  /** The submitted fields, or those of the URL: those sent before signing in again, or the revoked token. */
  entered: Form
  fault: string | undefined
}

function tokensPage(shown: TokensPage) {
  const { tokens, now, entered, fault } = shown
  const valid = tokens.filter(({ isValid }) => isValid)
  const ended = tokens.filter(({ isValid }) => !isValid)
  const revoked = ended.find(
    ({ prefix, revokedAt }) => prefix === entered.get("revoked") && revokedAt,
  )
  return accountPage({
    title: "API tokens",
    fault,
    lead: `${count(valid.length, "active token")}. Each reads all data, within the limit of your account. A token is shown only once, when it is created.`,
    part: "/account/tokens",
    main: html`${revoked && notice("good", html`Revoked <code>${revoked.prefix}</code> (${isolated(revoked.name)}). The service rejects it from now on.`, true)}
${revoked && entered.has("unconfirmed") && unconfirmedNotice}
${valid.length > 0 && tokenTable("Active tokens", valid, now)}
${creation(shown)}
${
  ended.length > 0 &&
  html`<details><summary>Revoked and expired: ${ended.length < maxEndedTokens ? count(ended.length, "token") : `the newest ${maxEndedTokens}`}</summary>
${tokenTable("Revoked and expired tokens", ended, now)}</details>`
}`,
  })
}

const tokenTable = (caption: string, tokens: readonly OwnToken[], now: Date): Html =>
  table({
    caption,
    columns: [
      {
        head: "Name",
        wide: true,
        cell: (token) => html`<a href="${tokenPath(token)}">${isolated(token.name)}</a>`,
      },
      { head: "Token", fixed: true, cell: prefixText },
      { head: "Created", fixed: true, cell: ({ createdAt }) => timeElement(createdAt) },
      { head: "Last used", fixed: true, cell: ({ lastUsedAt }) => agoText(lastUsedAt, now) },
      { head: "Expires", fixed: true, cell: (token) => endText(token, now) },
      {
        head: "Actions",
        fixed: true,
        cell: (token) => token.isValid && actions(token),
      },
    ],
    rows: tokens,
    empty: "There is no such token.",
  })

function endText({ isValid, revokedAt, expiresAt }: OwnToken, now: Date): Content {
  if (revokedAt !== null) return html`${statusBadge("revoked")} ${timeElement(revokedAt)}`
  if (expiresAt === null) return html`<span class="muted">never</span>`
  return isValid
    ? instantAgo(expiresAt, now.getTime())
    : html`${statusBadge("expired")} ${timeElement(expiresAt)}`
}

function actions(token: OwnToken): Html {
  const link = (verb: string) =>
    html`<a href="${tokenPath(token)}#${verb.toLowerCase()}">${verb}<span class="visually-hidden"> ${isolated(token.name)}</span></a> `
  return html`<span class="actions">${link("Rename")}${link("Revoke")}</span>`
}

const creation = ({ mayCreate, entered, fault }: TokensPage): Html =>
  panel(
    "create",
    "Create a token",
    mayCreate
      ? html`${fault && notice("bad", fault, true)}
<form method="post" action="/account/tokens" class="fields form-narrow">
${nameField(entered.get("name"), "Its purpose, such as the name of a script or a spreadsheet.")}
${formField({ name: "lifetime", label: "Expires", value: entered.get("lifetime"), choices: lifetimes })}
<div><button class="primary">Create token</button></div>
</form>`
      : html`<p>A token gives access to your account's data, so this asks you to sign in again
when that was more than an hour ago.</p>
<p><a class="button primary" href="${signInPath("/account/tokens", "again")}">Sign in again</a></p>`,
  )
