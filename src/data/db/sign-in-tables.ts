/**
 * The tables of signing in. They store secrets only as hashes. A trigger (drizzle/0000_baseline.sql) records the beginning
 * and end of sessions in the audit log.
 */
import { sql } from "drizzle-orm"
import { index, pgTable, text } from "drizzle-orm/pg-core"
import { accountId } from "./account-tables.ts"
import { bytewise, type Column, checks, instant } from "./columns.ts"

const isSha256 = (column: Column) => sql`${column} ~ '^[0-9a-f]{64}$'`

export const sessions = pgTable(
  "sessions",
  {
    /** SHA-256 of the cookie's value. It identifies the session in lists and forms, and is not secret. */
    id: bytewise().primaryKey(),
    account_id: accountId(),
    signed_in_at: instant("signed_in_at").notNull(),
    last_seen_at: instant("last_seen_at").notNull(),
    /** The address of the client that signed in. */
    address: text().notNull(),
    user_agent: text().notNull(),
  },
  (t) => [
    index("sessions_by_account").on(t.account_id),
    index("sessions_by_beginning").on(t.signed_in_at),
    index("sessions_by_last_use").on(t.last_seen_at),
    ...checks("sessions", { id: isSha256(t.id) }),
  ],
)

/** Unused one-time links for signing in or creating an account. */
export const signInLinks = pgTable(
  "sign_in_links",
  {
    sha256: bytewise().primaryKey(),
    email: text().notNull(),
    email_folded: bytewise().notNull(),
    expires_at: instant("expires_at").notNull(),
  },
  (t) => [
    index("sign_in_links_by_email").on(t.email_folded),
    index("sign_in_links_by_end").on(t.expires_at),
    ...checks("sign_in_links", { sha256: isSha256(t.sha256) }),
  ],
)
