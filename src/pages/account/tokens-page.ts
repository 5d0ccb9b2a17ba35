/** The list of tokens, and the form that creates one. */
import { listedEnded, type OwnToken } from "../../access/token-list.ts"
import { maxNameLength } from "../../access/token-name.ts"
import { checkbox, field, notice, pageTitle, select } from "../kit/components.ts"
import { count, isolated } from "../kit/format.ts"
import { type Content, type Html, html } from "../kit/html.ts"
import type { PageResult } from "../kit/page-context.ts"
import { signInPath } from "../kit/page-error.ts"
import { accountTabs } from "./account-tabs.ts"
import { formIdField, unconfirmedNotice } from "./changes.ts"
import { endedTokenTable, validTokenTable } from "./token-table.ts"

/** In days; an empty value is none. */
export const lifetimes = [
  { value: "", label: "Never" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
] as const

export interface EnteredToken {
  name: string
  lifetime: string
  forSpreadsheets: boolean
  formId: string
}

export interface TokensPage {
  tokens: readonly OwnToken[]
  /** Whether the person signed in recently enough. */
  mayCreate: boolean
  now: Date
  /** What was typed before the person was asked to sign in again. */
  typedName?: string | undefined
  /** What was sent and refused, and why. */
  entered?: EnteredToken
  fault?: string
  lifetimeFault?: string
  /** The prefix of the token that was just revoked. */
  revoked?: string | undefined
  /** Whether all processes confirmed that. */
  isConfirmed?: boolean
}

export function tokensPage(shown: TokensPage): PageResult {
  const { tokens, now, revoked, isConfirmed = true } = shown
  const valid = tokens.filter(({ isValid }) => isValid)
  const ended = tokens.filter(({ isValid }) => !isValid)
  const justRevoked = ended.find(({ prefix, revokedAt }) => prefix === revoked && revokedAt)
  return {
    title: "API Tokens",
    section: "account",
    main: html`${pageTitle("API Tokens", `${count(valid.length, "token")} can be used. Each reads all data, within the limit of your account. A token can't be shown again after it was created.`)}
${accountTabs("/account/tokens")}
<div class="stack">
${justRevoked && notice("good", html`Revoked <code>${justRevoked.prefix}</code> (${isolated(justRevoked.name)}). It is refused from now on.`, true)}
${justRevoked && unconfirmedNotice(isConfirmed)}
${valid.length > 0 && validTokenTable(valid, now)}
${creation(shown)}
${ended.length > 0 && endedTokens(ended, now)}
</div>`,
  }
}

const endedTokens = (ended: readonly OwnToken[], now: Date): Html =>
  html`<details><summary>Revoked and expired: ${ended.length < listedEnded ? count(ended.length, "token") : `the newest ${listedEnded}`}</summary>
${endedTokenTable(ended, now)}</details>`

function creation(shown: TokensPage): Content {
  const heading = html`<h2 id="create">Create a token</h2>`
  if (!shown.mayCreate) {
    return html`<section class="panel" aria-labelledby="create">${heading}
<p>A token gives access to your account's data, so this asks you to sign in again when that was more than an hour ago.</p>
<p><a class="button primary" href="${signInPath("/account/tokens", "again")}">Sign in again</a></p></section>`
  }
  const { typedName = "", entered, fault, lifetimeFault } = shown
  return html`<section class="panel" aria-labelledby="create">${heading}
${fault && notice("bad", fault, true)}
<form method="post" action="/account/tokens" class="fields form-narrow">
${formIdField(entered?.formId)}
${field({
  name: "name",
  label: "Name",
  hint: "What it is for, such as the name of a script or a spreadsheet.",
  input: {
    value: entered?.name ?? typedName,
    required: true,
    maxlength: maxNameLength,
    autocomplete: "off",
  },
})}
${select({ name: "lifetime", label: "Expires", value: entered?.lifetime, choices: lifetimes, fault: lifetimeFault })}
${checkbox({
  name: "for_spreadsheets",
  label: "For spreadsheets: its use is shown apart",
  checked: entered?.forSpreadsheets ?? false,
})}
<div><button class="primary">Create token</button></div>
</form></section>`
}
