/**
 * The tables of the sources and of their loads. They belong to no release.
 */
import { sql } from "drizzle-orm"
import { boolean, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core"
import { bytewise, checks, instant } from "./columns.ts"

/** The outcomes of a load or a fetch: a release, no difference, a refused load, or a failed fetch. */
export const loadOutcomes = ["published", "unchanged", "refused", "failed"] as const
export type LoadOutcome = (typeof loadOutcomes)[number]

/** Omits outcomes without a load or fetch. */
export type LoadTotals = Partial<Record<LoadOutcome, { loads: number; seconds: number }>>

/** The sources and the outcomes of their loads. */
export const loadedSources = pgTable(
  "sources",
  {
    name: bytewise().notNull(),
    resource: bytewise().notNull(),
    /** Numbers the sources in the order of their first loads. */
    number: integer().notNull().generatedAlwaysAsIdentity(),
    /** When its last successful load ended; null before the first one. */
    last_loaded_at: instant("last_loaded_at"),
    /** The outcome of its last load or fetch. */
    last_outcome: text({ enum: loadOutcomes }).notNull(),
    /** The reason of a refused load or a failed fetch. */
    last_reason: text(),
    /** The reason of a refused load without values of rows, for everyone. */
    last_finding: text(),
    /** The time of its newest accepted files. */
    last_observed_at: instant("last_observed_at"),
    /** Whether that time is known; otherwise it is the time of the load. Null before the first load. */
    last_observed_is_known: boolean(),
    /** The SHA-256 digests of the last accepted files, sorted. */
    last_files: text().array(),
    /** The last release that changed its records, and when it was published. */
    last_release: integer(),
    last_changed_at: instant("last_changed_at"),
    /** The terms of its publisher. Neither they nor the address have a secret. */
    licence: text(),
    attribution: text(),
    /** The reference systems of the shapes that it last had: `EPSG:7844`. */
    crs: text(),
    /** The URL of its files, without user, query and fragment, which may have a token. */
    address: text(),
    /** When the last uninterrupted fetch began, successful or not. */
    last_attempted_at: instant("last_attempted_at"),
    /** When the last fetch began that downloaded all its files, changed or not. */
    last_fetched_at: instant("last_fetched_at"),
    /** The numbers of rows of the last accepted files, by outcome. */
    counts: jsonb().notNull().default({}),
    /** The number and total seconds of loads and fetches, by outcome. */
    totals: jsonb().$type<LoadTotals>().notNull().default({}),
  },
  (t) => [
    primaryKey({ columns: [t.name, t.resource] }),
    ...checks("sources", {
      last_reason: sql`${t.last_reason} is not null or ${t.last_outcome} not in ('refused', 'failed')`,
      address: sql`${t.address} ~ '^https?://[^/?#@[:space:]]+(/[^?#[:space:]]*)?$'`,
      counts: sql`jsonb_typeof(${t.counts}) = 'object'`,
    }),
  ],
)

/**
 * Stored records that the last complete load of their source lacked. They keep their values until further
 * loads lack them too. The times are those of the files.
 */
export const missingRecordsTable = pgTable(
  "missing_records",
  {
    source: bytewise().notNull(),
    resource: bytewise().notNull(),
    key: bytewise().notNull(),
    missing_since: instant("missing_since").notNull(),
    last_missing_at: instant("last_missing_at").notNull(),
    /** The number of loads that lacked it, each with files of another time. */
    loads: integer().notNull(),
    /** A digest of the files of the last of these loads; null if unknown. */
    last_files: text(),
  },
  (t) => [
    primaryKey({ columns: [t.source, t.resource, t.key] }),
    ...checks("missing_records", {
      last_missing_at: sql`${t.last_missing_at} >= ${t.missing_since}`,
      loads: sql`${t.loads} > 0`,
    }),
  ],
)
