/**
 * The tables of what is known of the sources, and of the loads of their files. They say nothing about the
 * data itself, and belong to no release.
 */
import { sql } from "drizzle-orm"
import { boolean, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core"
import { bytewise, checks, instant, literals } from "./columns.ts"

/** What came of a load or a fetch: a release, no difference, a refused load, or a fetch that failed. */
export const loadOutcomes = ["published", "unchanged", "refused", "failed"] as const
export type LoadOutcome = (typeof loadOutcomes)[number]

/** Without the outcomes that no load or fetch had. */
export type LoadTotals = Partial<Record<LoadOutcome, { loads: number; seconds: number }>>

/** What came of the loads of each source. */
export const loadedSources = pgTable(
  "sources",
  {
    name: bytewise().notNull(),
    resource: bytewise().notNull(),
    /** In the order in which the sources were first loaded: no other is ever put before. */
    number: integer().notNull().generatedAlwaysAsIdentity(),
    /** When its last load ended, also one that was refused; null where nothing has been loaded. */
    last_loaded_at: instant("last_loaded_at"),
    /** Of its last load or fetch, whichever was later. */
    last_outcome: text({ enum: loadOutcomes }).notNull(),
    /** Why it was refused, or failed. */
    last_reason: text(),
    /** When the newest files that were not refused were true. */
    last_observed_at: instant("last_observed_at"),
    /** Whether that is known, and not only when they were loaded; null where nothing has been loaded. */
    last_observed_is_known: boolean(),
    /** The SHA-256 digests of the last files that were not refused, sorted. */
    last_files: text().array(),
    /** What the result of that load followed from: see `loading/load-basis.ts`. */
    last_basis: text(),
    /** The last release that changed its records, and when it was published. */
    last_release: integer(),
    last_changed_at: instant("last_changed_at"),
    /** What its publisher asks of those who use it. Neither here nor in the address is a secret. */
    licence: text(),
    attribution: text(),
    /** Where its files are published: without user, query and fragment, which may have a token. */
    address: text(),
    /** When the last fetch began that was not interrupted, whatever came of it. */
    last_attempted_at: instant("last_attempted_at"),
    /** When the last fetch began that got all its files, whether or not they had changed. */
    last_fetched_at: instant("last_fetched_at"),
    /** The digests, sorted, of the files of its last fetch that got all of them, also of one that was refused. */
    last_fetched_files: text().array(),
    /** Of the last files that were not refused: rows by what became of them. */
    counts: jsonb().notNull().default({}),
    /** By outcome, how many loads and fetches had it, and how long these took in all. */
    totals: jsonb().$type<LoadTotals>().notNull().default({}),
  },
  (t) => [
    primaryKey({ columns: [t.name, t.resource] }),
    ...checks("sources", {
      last_outcome: sql`${t.last_outcome} in (${literals(loadOutcomes)})`,
      last_reason: sql`(${t.last_reason} is not null) = (${t.last_outcome} in ('refused', 'failed'))`,
      address: sql`${t.address} ~ '^https?://[^/?#@[:space:]]+(/[^?#[:space:]]*)?$'`,
      counts: sql`jsonb_typeof(${t.counts}) = 'object'`,
    }),
  ],
)

/**
 * Stored records that the last complete load of their source lacked. They keep their values until
 * further loads confirm that they have gone. The times are those at which the files were true.
 */
export const missingRecords = pgTable(
  "missing_records",
  {
    source: bytewise().notNull(),
    resource: bytewise().notNull(),
    key: bytewise().notNull(),
    missing_since: instant("missing_since").notNull(),
    last_missing_at: instant("last_missing_at").notNull(),
    /** How many loads have lacked it, each of files of another time. */
    loads: integer().notNull(),
    /** A digest of the files of the last of them; null where it is not known. */
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
