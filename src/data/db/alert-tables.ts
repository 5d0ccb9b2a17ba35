/**
 * The tables of watches and their deliveries. A trigger (triggers.sql) writes the audit log of watches, without their
 * subjects, addresses and secrets.
 */
import { sql } from "drizzle-orm"
import {
  bigint,
  bigserial,
  boolean,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  real,
  text,
  timestamp,
  uuid,
} from "drizzle-orm/pg-core"
import { accountId } from "./account-tables.ts"
import { bytewise, checks, instant } from "./columns.ts"

/** What a watch of a list reports. */
export const reportKinds = ["changes", "removals", "both"] as const

/** The most days before expiry. */
export const maxExpiryDays = 730

/** When a watch sends mails: in Sydney, every morning or on Mondays. */
export const mailTimes = ["at-once", "daily", "weekly"] as const

export const watchStates = ["active", "paused", "disabled"] as const

/** A point in time, to the millisecond. */
const moment = (name: string) =>
  timestamp(name, { withTimezone: true, precision: 3, mode: "string" })

export const watches = pgTable(
  "watches",
  {
    id: bigserial({ mode: "number" }).primaryKey(),
    account_id: accountId(),
    name: text().notNull(),
    /** Names the watch in the audit log, as its prefix names a token. */
    prefix: bytewise().generatedAlwaysAs(sql`'watch ' || id`),
    /** See `Subject` and `Channel` in alerts/watch.ts. */
    subject: jsonb().notNull(),
    channel: jsonb().notNull(),
    /** The resource whose changes concern it; null for every release. */
    resource: text(),
    /** The host that its deliveries connect to. */
    host: bytewise().notNull(),
    state: text({ enum: watchStates }).notNull().default("active"),
    /** Why it is disabled. */
    reason: text(),
    /** Of a webhook, which it signs. Readable. */
    secret: text(),
    /** The replaced secret, which signs too until then. */
    former_secret: text(),
    former_secret_until: moment("former_secret_until"),
    created_at: instant("created_at").notNull(),
    /**
     * The cursor: the release that its last event covered, 0 before the first; of a watch of expiry also the day in
     * Sydney, null before its first event.
     */
    covered_release: integer().notNull(),
    covered_identity: uuid(),
    covered_day: date({ mode: "string" }),
    /** The event in progress, with the release that it compares with. */
    event_id: uuid(),
    event_body: text(),
    event_since: integer(),
    /** Its failed attempts. */
    attempt: integer().notNull().default(0),
    /** When to attempt the event in progress; without one, when to look for what is new. Null: at each release. */
    due_at: moment("due_at"),
    /** No other process works on it before then. Each lease ends later than the one before, so its end identifies it. */
    leased_until: moment("leased_until"),
    /** Whether a test is to be sent. */
    is_test_due: boolean().notNull().default(false),
    last_event_at: instant("last_event_at"),
  },
  (t) => [
    index("watches_by_account").on(t.account_id),
    ...checks("watches", {
      name: sql`${t.name} ~ '[^[:space:]]'`,
      state: sql`${t.state} in ('active', 'paused', 'disabled')`,
      reason: sql`(${t.state} = 'disabled') = (${t.reason} is not null)`,
      secret: sql`(${t.channel} ->> 'kind' = 'webhook') = (${t.secret} is not null)`,
      covered: sql`(${t.covered_release} = 0) = (${t.covered_identity} is null)`,
      event: sql`num_nulls(${t.event_id}, ${t.event_body}, ${t.event_since}) in (0, 3)`,
    }),
  ],
)

/** The digests of the tokens that pause a watch by links in mails: one for each mail. */
export const unsubscribeTokens = pgTable(
  "unsubscribe_tokens",
  {
    sha256: bytewise().primaryKey(),
    watch_id: bigint({ mode: "number" })
      .notNull()
      .references(() => watches.id, { onDelete: "cascade" }),
  },
  (t) => [index("unsubscribe_tokens_by_watch").on(t.watch_id)],
)

/** The attempts of the last 30 days. */
export const deliveries = pgTable(
  "deliveries",
  {
    id: bigserial({ mode: "number" }).primaryKey(),
    watch_id: bigint({ mode: "number" })
      .notNull()
      .references(() => watches.id, { onDelete: "cascade" }),
    event_id: uuid().notNull(),
    /** `list.changed`, `test` … */
    type: text().notNull(),
    at: moment("at").notNull(),
    release: integer().notNull(),
    /** From 1. */
    attempt: integer().notNull(),
    is_ok: boolean().notNull(),
    /** Null where there was no response, as of a mail. */
    status: integer(),
    reason: text(),
    /** The duration. */
    ms: real().notNull(),
  },
  (t) => [index("deliveries_by_watch").on(t.watch_id, t.id), index("deliveries_by_time").on(t.at)],
)
