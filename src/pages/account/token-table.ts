/** Tokens as tables. */
import type { OwnToken } from "../../access/token-list.ts"
import { type Column, status, table } from "../kit/components.ts"
import { dash, instant, instantAgo, isolated } from "../kit/format.ts"
import { type Html, html } from "../kit/html.ts"

export const tokenPath = ({ id }: Pick<OwnToken, "id">): string => `/account/tokens/${id}`

export const prefixText = ({ prefix }: Pick<OwnToken, "prefix">): Html =>
  html`<code>${prefix}…</code>`

export const purpose = ({ forSpreadsheets }: OwnToken) =>
  forSpreadsheets ? status("for spreadsheets") : dash

/** Those that can be used. */
export const validTokenTable = (tokens: readonly OwnToken[], now: Date): Html =>
  table({
    caption: "Tokens that can be used",
    columns: [...nameColumns, ...useColumns(now), ...actionColumns],
    rows: tokens,
    empty: "There is no token that can be used.",
  })

/** Those that can't be used any more. */
export const endedTokenTable = (tokens: readonly OwnToken[], now: Date): Html =>
  table({
    caption: "Revoked and expired tokens",
    columns: [
      { head: "Name", cell: ({ name }) => isolated(name) },
      ...nameColumns.slice(1),
      lastUsed(now),
      {
        head: "Ended",
        fixed: true,
        cell: ({ revokedAt, expiresAt }) =>
          revokedAt === null
            ? html`${status("expired")} ${instant(expiresAt ?? "")}`
            : html`${status("revoked")} ${instant(revokedAt)}`,
      },
    ],
    rows: tokens,
    empty: "No token was revoked or has expired.",
  })

const nameColumns: Column<OwnToken>[] = [
  {
    head: "Name",
    cell: (token) => html`<a href="${tokenPath(token)}">${isolated(token.name)}</a>`,
  },
  { head: "Token", fixed: true, cell: prefixText },
  { head: "Purpose", fixed: true, cell: purpose },
  { head: "Created", fixed: true, cell: ({ createdAt }) => instant(createdAt) },
]

/** `3 hours ago`, or `never` */
export const lastUsedText = ({ lastUsedAt }: OwnToken, now: Date): Html =>
  lastUsedAt === null
    ? html`<span class="muted">never</span>`
    : // The column rounds to whole seconds, also up.
      instantAgo(lastUsedAt, Math.max(now.getTime(), Date.parse(lastUsedAt)))

const lastUsed = (now: Date): Column<OwnToken> => ({
  head: "Last used",
  fixed: true,
  cell: (token) => lastUsedText(token, now),
})

const useColumns = (now: Date): Column<OwnToken>[] => [
  lastUsed(now),
  {
    head: "Expires",
    fixed: true,
    cell: ({ expiresAt }) =>
      expiresAt === null
        ? html`<span class="muted">never</span>`
        : instantAgo(expiresAt, now.getTime()),
  },
]

const actionColumns: Column<OwnToken>[] = [
  {
    head: html`<span class="visually-hidden">Actions</span>`,
    fixed: true,
    cell: (token) =>
      html`<span class="actions">${(
        [
          ["", "Edit"],
          ...(token.replacedAt === null ? [["/rotate", "Rotate"] as const] : []),
          ["/revoke", "Revoke"],
        ] as const
      ).map(
        ([path, verb]) =>
          html`<a href="${tokenPath(token)}${path}">${verb}<span class="visually-hidden"> ${isolated(token.name)}</span></a> `,
      )}</span>`,
  },
]
