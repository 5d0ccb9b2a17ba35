/**
 * The tables of accounts and tokens. Triggers on both (drizzle/0000_baseline.sql) write the audit log and notify the
 * serving processes of each change.
 */
import { sql } from "drizzle-orm"
import {
  bigint,
  bigserial,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  real,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core"
import { bytewise, checks, instant, literals } from "./columns.ts"

export const plans = ["standard", "enterprise", "admin"] as const
export type AccountPlan = (typeof plans)[number]
/** Limits the memory of a window, which has the time of each request, to 24 MB. */
export const highestRequestLimit = 1_000_000
const actions = ["created", "changed", "deleted"] as const

export const accountsTable = pgTable(
  "accounts",
  {
    id: bigserial({ mode: "number" }).primaryKey(),
    email: text().notNull(),
    email_folded: bytewise().notNull(),
    plan: text({ enum: plans }).notNull(),
    /** Requests per window of the enterprise plan; null on the plans whose limit is fixed. */
    request_limit: integer(),
    created_at: instant("created_at").notNull().defaultNow(),
    /** The time from which the service rejects its tokens. */
    disabled_at: instant("disabled_at"),
  },
  (t) => [
    uniqueIndex("accounts_by_email").on(t.email_folded),
    ...checks("accounts", {
      email: sql`${t.email} ~ '^[^[:space:]@]+@[^[:space:]@]+$' and ${t.email_folded} <> ''`,
      plan: sql`${t.plan} in (${literals(plans)})`,
      request_limit: sql`(${t.plan} = 'enterprise') = (${t.request_limit} is not null) and ${t.request_limit} between 1 and ${sql.raw(String(highestRequestLimit))}`,
    }),
  ],
)

/** The account of a row. Deleting the account deletes the row. */
export const accountId = () =>
  bigint({ mode: "number" })
    .notNull()
    .references(() => accountsTable.id, { onDelete: "cascade" })

export const tokensTable = pgTable(
  "tokens",
  {
    id: bigserial({ mode: "number" }).primaryKey(),
    account_id: accountId(),
    name: text().notNull(),
    /** SHA-256 of the whole token in hexadecimal: the only form in which a token is stored. */
    sha256: bytewise().notNull(),
    prefix: bytewise().notNull(),
    created_at: instant("created_at").notNull().defaultNow(),
    last_used_at: instant("last_used_at"),
    expires_at: instant("expires_at"),
    revoked_at: instant("revoked_at"),
  },
  (t) => [
    uniqueIndex("tokens_by_sha256").on(t.sha256),
    index("tokens_by_prefix").on(t.prefix),
    index("tokens_by_account").on(t.account_id),
    ...checks("tokens", {
      name: sql`${t.name} ~ '[^[:space:]]'`,
      sha256: sql`${t.sha256} ~ '^[0-9a-f]{64}$'`,
      prefix: sql`${t.prefix} ~ '^mds_[0-9A-Za-z]{8}$'`,
    }),
  ],
)

/**
 * The audit log of accounts and tokens. Triggers write it, so that it includes changes by SQL. Entries outlive
 * their account or token.
 */
export const accessChanges = pgTable(
  "access_changes",
  {
    id: bigserial({ mode: "number" }).primaryKey(),
    at: timestamp({ withTimezone: true, mode: "string" }).notNull().defaultNow(),
    account_id: bigint({ mode: "number" }).notNull(),
    /** Null for a change of the account itself. */
    token_prefix: bytewise(),
    action: text({ enum: actions }).notNull(),
    /** Maps each changed column to its values before and after: `{"plan": ["standard", "admin"]}`. */
    columns: jsonb().$type<Record<string, [before: unknown, after: unknown]>>().notNull(),
    who: text().notNull(),
    origin: text().notNull(),
  },
  (t) => [
    index("access_changes_by_account").on(t.account_id, t.id),
    index("access_changes_of_sessions").on(t.at).where(sql`${t.columns} ? 'signed_in_at'`),
    ...checks("access_changes", {
      action: sql`${t.action} in (${literals(actions)})`,
      columns: sql`jsonb_typeof(${t.columns}) = 'object'`,
    }),
  ],
)

/** The token id of pages of the explorer. */
export const withoutToken = 0

/** Admitted requests of each account in each clock hour (UTC) by token, kept for 31 days. */
export const usageHours = pgTable(
  "usage_hours",
  {
    account_id: accountId(),
    hour: instant("hour").notNull(),
    /** Or `withoutToken`. */
    token_id: bigint({ mode: "number" }).notNull(),
    requests: bigint({ mode: "number" }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.account_id, t.hour, t.token_id] }),
    index("usage_hours_by_hour").on(t.hour),
    ...checks("usage_hours", {
      hour: sql`extract(epoch from ${t.hour})::bigint % 3600 = 0`,
      requests: sql`${t.requests} >= 0`,
    }),
  ],
)

/** The last requests of each account, so that a person can find why one failed. */
export const recentRequests = pgTable(
  "recent_requests",
  {
    /** As in `X-Request-Id`. */
    request_id: uuid().primaryKey(),
    account_id: accountId(),
    /** Or `withoutToken`. */
    token_id: bigint({ mode: "number" }).notNull(),
    at: timestamp({ withTimezone: true, precision: 3, mode: "string" }).notNull(),
    method: text().notNull(),
    /** Path and query, without tokens. */
    target: text().notNull(),
    status: integer().notNull(),
    /** Milliseconds until the response. */
    ms: real().notNull(),
  },
  (t) => [
    index("recent_requests_by_account").on(t.account_id, t.at, t.request_id),
    index("recent_requests_by_time").on(t.at),
  ],
)
