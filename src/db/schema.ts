/**
 * The tables of the data. Those of accounts are in account-tables.ts.
 *
 * Text that decides an order or a match is kept under COLLATE "C", which compares bytes and so gives
 * the same order on every server. Columns that end in `_folded` hold the text beside them after
 * `fold()`; `_key` and `_keys` hold normalised names (`normaliseName()`).
 *
 * Every record carries the source that loaded it, which alone may change or remove it, and the
 * release that last changed it. What a release supersedes or removes moves to the history table
 * beside, with the release until which it stood: a record stood at release r where
 * since_release <= r < until_release. The tables of what is current never need the history.
 */
import { sql } from "drizzle-orm"
import {
  bigint,
  boolean,
  customType,
  date,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from "drizzle-orm/pg-core"

/** Text that is compared by its bytes. */
export const bytewise = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' })
/** A point in time, to the second. */
export const instant = (name: string) =>
  timestamp(name, { withTimezone: true, precision: 0, mode: "string" })

const provenance = {
  source: text().notNull(),
  since_release: integer().notNull(),
}

export const releases = pgTable("releases", {
  id: integer().primaryKey(),
  published_at: instant("published_at").notNull(),
  source: text().notNull(),
  manifest: jsonb().notNull(),
})

/** The oldest release that each serving process still reads, for a crawl or an export under way. */
export const heldReleases = pgTable("held_releases", {
  process: text().primaryKey(),
  release: integer().notNull(),
  seen_at: instant("seen_at").notNull(),
})

const superseded = { ...provenance, until_release: integer().notNull() }

const companyColumns = {
  company_name: text().notNull(),
  company_name_folded: bytewise().notNull(),
  name_key: bytewise().notNull(),
  market_cap_aud: bigint({ mode: "number" }),
  gics_sector: text(),
  gics_sector_folded: bytewise(),
  gics_industry_group: text(),
  total_tenements: integer().notNull().default(0),
  is_active: boolean().notNull(),
}

export const companies = pgTable(
  "companies",
  { asx_code: bytewise().primaryKey(), ...companyColumns, ...provenance },
  (t) => [
    index("companies_by_name").on(t.company_name_folded, t.asx_code),
    index("companies_by_name_key").on(t.name_key),
  ],
)

export const companiesHistory = pgTable(
  "companies_history",
  { asx_code: bytewise().notNull(), ...companyColumns, ...superseded },
  (t) => [
    primaryKey({ columns: [t.asx_code, t.since_release] }),
    index("companies_history_until").on(t.until_release),
  ],
)

const tenementColumns = {
  tenement_id: text().notNull(),
  state: bytewise().notNull(),
  status: text(),
  status_folded: bytewise(),
  type: text(),
  type_folded: bytewise(),
  holder_name: text(),
  holder_name_folded: bytewise(),
  holder_keys: text().array().notNull(),
  asx_codes: text().array().notNull().default(sql`'{}'`),
  grant_date: date({ mode: "string" }),
  expiry_date: date({ mode: "string" }),
  area_km2: doublePrecision(),
}

export const tenements = pgTable(
  "tenements",
  { id: bytewise().primaryKey(), ...tenementColumns, ...provenance },
  (t) => [
    index("tenements_by_state").on(t.state, t.id),
    index("tenements_by_status").on(t.status_folded, t.id),
    index("tenements_by_type").on(t.type_folded, t.id),
    index("tenements_by_holder").using("gin", t.holder_name_folded.op("gin_trgm_ops")),
    index("tenements_by_company").using("gin", t.asx_codes),
  ],
)

export const tenementsHistory = pgTable(
  "tenements_history",
  { id: bytewise().notNull(), ...tenementColumns, ...superseded },
  (t) => [
    primaryKey({ columns: [t.id, t.since_release] }),
    index("tenements_history_until").on(t.until_release),
  ],
)

const subsidiaryColumns = {
  name: text().notNull(),
  name_folded: bytewise().notNull(),
  name_key: bytewise().notNull(),
  parent_asx_code: bytewise().notNull(),
  country: text(),
  ownership_percentage: doublePrecision(),
}

export const subsidiaries = pgTable(
  "subsidiaries",
  { id: bytewise().primaryKey(), ...subsidiaryColumns, ...provenance },
  (t) => [
    index("subsidiaries_by_parent").on(t.parent_asx_code, t.name_folded, t.id),
    index("subsidiaries_by_name_key").on(t.name_key),
  ],
)

export const subsidiariesHistory = pgTable(
  "subsidiaries_history",
  { id: bytewise().notNull(), ...subsidiaryColumns, ...superseded },
  (t) => [
    primaryKey({ columns: [t.id, t.since_release] }),
    index("subsidiaries_history_until").on(t.until_release),
  ],
)

const reportColumns = {
  asx_code: bytewise().notNull(),
  title: text().notNull(),
  title_folded: bytewise().notNull(),
  type: text(),
  types_folded: text().array().notNull(),
  published_at: instant("published_at").notNull(),
  url: text(),
}

export const reports = pgTable(
  "reports",
  { hash: bytewise().primaryKey(), ...reportColumns, ...provenance },
  (t) => [
    index("reports_newest_first").on(t.published_at.desc(), t.hash),
    index("reports_by_company").on(t.asx_code, t.published_at.desc(), t.hash),
    index("reports_by_type").using("gin", t.types_folded),
    index("reports_by_title").using("gin", t.title_folded.op("gin_trgm_ops")),
  ],
)

export const reportsHistory = pgTable(
  "reports_history",
  { hash: bytewise().notNull(), ...reportColumns, ...superseded },
  (t) => [
    primaryKey({ columns: [t.hash, t.since_release] }),
    index("reports_history_until").on(t.until_release),
    index("reports_history_newest_first").on(t.published_at.desc(), t.hash),
  ],
)
