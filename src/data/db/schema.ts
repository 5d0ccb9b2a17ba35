/**
 * The tables of the data. Those of its sources are in source-tables.ts, those of accounts in
 * account-tables.ts.
 *
 * Text that determines an order or a match has COLLATE "C", which compares bytes and so sorts alike on every
 * server. Columns that end in `_folded` have the folded text of the column beside them (`fold()`); `_key` and
 * `_keys` have normalised names (`normaliseName()`).
 *
 * Every record has the source that loaded it and the only one that may change or remove it, and the
 * release that last changed it. A record that a release supersedes or removes moves to the history
 * table, with that release as `until_release`: the record is part of release r if
 * since_release <= r < until_release. Reading current data never needs the history. The index on
 * since_release finds the changes after a release, the index on until_release the removals.
 *
 * The loader validates records by the declaration of their resource. The CHECK constraints enforce the
 * assumptions of the API, also for changes by SQL.
 */
import { sql } from "drizzle-orm"
import {
  bigint,
  boolean,
  check,
  date,
  doublePrecision,
  type ExtraConfigColumn,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core"
import {
  box,
  bytewise,
  bytewiseArray,
  checks,
  hasFourDigitYear,
  instant,
  isAsxCode,
  isInstant,
  isPathSafe,
  isState,
  polygon,
  unknownLast,
} from "./columns.ts"

export const states = ["WA", "NSW", "QLD", "VIC", "SA", "TAS", "NT"] as const
export type State = (typeof states)[number]

const provenance = {
  source: bytewise().notNull(),
  since_release: integer().notNull(),
  /**
   * The file of that release whose row the record has, by its place in the manifest; null where the
   * release changed the record without a row, as by links.
   */
  file: integer(),
}

export const releasesTable = pgTable(
  "releases",
  {
    id: integer().primaryKey(),
    published_at: instant("published_at").notNull(),
    source: bytewise().notNull(),
    manifest: jsonb().notNull(),
    /** Distinguishes releases of the same number, as after a restore of an earlier backup. */
    identity: uuid().notNull().defaultRandom(),
    /** Whether its history is deleted: it is still listed, but cannot be read. */
    is_pruned: boolean().notNull().default(false),
  },
  (t) => [
    index("releases_kept").on(t.id).where(sql`not ${t.is_pruned}`),
    ...checks("releases", {
      id: sql`${t.id} > 0`,
      published_at: isInstant(t.published_at),
      manifest: sql`jsonb_typeof(${t.manifest}) = 'object'`,
    }),
  ],
)

/** The rules that made the computed values of the records: see `resources/rules.ts`. */
export const appliedRules = pgTable("rules", {
  name: bytewise().primaryKey(),
  number: integer().notNull(),
  /** The version of the program that applied it. */
  version: text().notNull(),
})

const superseded = { ...provenance, until_release: integer().notNull() }

/** The keys and indexes of a history table. Its rows have passed the checks of the current table. */
const historyParts = (
  resource: string,
  key: ExtraConfigColumn,
  { since_release, until_release }: Record<keyof typeof superseded, ExtraConfigColumn>,
) => [
  primaryKey({ columns: [key, since_release] }),
  index(`${resource}_history_until`).on(until_release),
  index(`${resource}_history_since`).on(since_release),
  check(`${resource}_history_until_release`, sql`${until_release} > ${since_release}`),
]

const companyColumns = {
  company_name: text().notNull(),
  company_name_folded: bytewise().notNull(),
  name_key: bytewise().notNull(),
  market_cap_aud: bigint({ mode: "number" }),
  gics_sector: text(),
  gics_sector_folded: bytewise(),
  gics_industry_group: text(),
  gics_industry_group_folded: bytewise(),
  total_tenements: integer().notNull().default(0),
  is_active: boolean().notNull(),
}

/** Shown by no list of companies. */
const listingColumns = {
  /** With the code, identifies a company: codes are reused. */
  listing_date: date({ mode: "string" }),
  /** The new code of a company whose code has ended. */
  successor: bytewise(),
}

export const companiesTable = pgTable(
  "companies",
  { asx_code: bytewise().primaryKey(), ...companyColumns, ...provenance, ...listingColumns },
  (t) => [
    index("companies_by_name").on(t.company_name_folded, t.asx_code),
    index("companies_by_name_key").on(t.name_key),
    index("companies_since").on(t.since_release),
    ...checks("companies", {
      asx_code: isAsxCode(t.asx_code),
      market_cap_aud: sql`${t.market_cap_aud} between 0 and ${sql.raw(String(Number.MAX_SAFE_INTEGER))}`,
      total_tenements: sql`${t.total_tenements} >= 0`,
    }),
  ],
)

export const companiesHistory = pgTable(
  "companies_history",
  { asx_code: bytewise().notNull(), ...companyColumns, ...superseded, ...listingColumns },
  (t) => historyParts("companies", t.asx_code, t),
)

/** What the directory has said of each code, by the days of its files: see `loading/listings.ts`. */
export const listings = pgTable(
  "listings",
  {
    asx_code: bytewise().notNull(),
    /** Null where the file has no listing date. */
    listing_date: date({ mode: "string" }),
    name_key: bytewise().notNull(),
    company_name: text().notNull(),
    first_day: date({ mode: "string" }).notNull(),
    last_day: date({ mode: "string" }).notNull(),
  },
  (t) => [
    unique().on(t.asx_code, t.listing_date, t.name_key).nullsNotDistinct(),
    index("listings_by_date").on(t.listing_date),
    ...checks("listings", { asx_code: isAsxCode(t.asx_code) }),
  ],
)

/** The days of the directory's files. */
export const directoryDays = pgTable("directory_days", {
  day: date({ mode: "string" }).primaryKey(),
})

/** The decisions of operators about the new codes of companies, each a code with its listing date. */
export const successorDecisions = pgTable(
  "successor_decisions",
  {
    asx_code: bytewise().notNull(),
    listing_date: date({ mode: "string" }).notNull(),
    successor: bytewise().notNull(),
    successor_date: date({ mode: "string" }).notNull(),
    is_right: boolean().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.asx_code, t.listing_date, t.successor] }),
    ...checks("successor_decisions", {
      asx_code: isAsxCode(t.asx_code),
      successor: isAsxCode(t.successor),
    }),
  ],
)

/** The names that codes had, which link tenements too. Pruning keeps them, so that it ends no link. */
export const formerNames = pgTable(
  "former_names",
  {
    asx_code: bytewise().notNull(),
    name: text().notNull(),
    name_key: bytewise().notNull(),
    /** Whether it is a former name of the company that has the code now: see `loading/former-names.ts`. */
    is_certain: boolean().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.asx_code, t.name_key] }),
    ...checks("former_names", { asx_code: isAsxCode(t.asx_code) }),
  ],
)

/** The keys that link the current tenements, each with its company: see `linkKeysOf()`. */
export const linkKeys = pgTable(
  "link_keys",
  {
    key: bytewise().notNull(),
    asx_code: bytewise().notNull(),
    /** See `loading/name-owners.ts`. */
    basis: text().notNull(),
    /** The id of the declared tenement. */
    declaration: bytewise(),
  },
  (t) => [index("link_keys_by_key").on(t.key)],
)

/** The links that the last load suggests. Suggestions and decisions belong to no release. */
export const suggestedLinks = pgTable("suggested_links", {
  /** Holders with the most tenements first; of one holder, the best first. */
  position: integer().primaryKey(),
  holder_key: bytewise().notNull(),
  /** In its most frequent spelling. */
  holder: text().notNull(),
  asx_code: bytewise().notNull(),
  /** See `loading/suggestions.ts`. */
  suggestion: jsonb().notNull(),
})

/** The decisions of operators about links. */
export const linkDecisions = pgTable(
  "link_decisions",
  {
    holder_key: bytewise().notNull(),
    holder: text().notNull(),
    asx_code: bytewise().notNull(),
    is_right: boolean().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.holder_key, t.asx_code] }),
    ...checks("link_decisions", { asx_code: isAsxCode(t.asx_code) }),
  ],
)

/** Equal for all written forms of a tenement's reference (`referenceKey()`). */
const referenceKeyColumn = () => bytewise().notNull().default("")

const tenementColumns = {
  tenement_id: text().notNull(),
  reference_key: referenceKeyColumn(),
  /** The lower-case letters and digits of the id and the reference. */
  search_key: bytewise().notNull().default(""),
  state: bytewise().notNull(),
  status: text(),
  status_folded: bytewise(),
  type: text(),
  type_folded: bytewise(),
  holder_name: text(),
  holder_name_folded: bytewise(),
  holder_keys: bytewiseArray().notNull(),
  /** The holders of those keys; empty where they are those of `holder_name`, split at `; `. */
  holder_spellings: bytewiseArray().notNull().default(sql`'{}'`),
  asx_codes: bytewiseArray().notNull().default(sql`'{}'`),
  /** Whether a company is among its holders. */
  has_company: boolean().notNull().default(false),
  grant_date: date({ mode: "string" }),
  expiry_date: date({ mode: "string" }),
  area_km2: doublePrecision(),
  /** The field `name`. Statements of 1.1 join tenements with relations that have a column `name`. */
  given_name: text(),
  /** Its lower-case letters and digits. */
  name_key: bytewise(),
  commodities: text(),
  /** A point inside its shape, in degrees. */
  latitude: doublePrecision(),
  longitude: doublePrecision(),
  /** The digest of its shape; null where that is unknown. */
  geometry: bytewise(),
  bounds: box(),
}

/** The parts of each different shape once. Pruning deletes shapes that no version of a tenement has. */
export const shapeParts = pgTable(
  "shape_parts",
  {
    shape: bytewise().notNull(),
    part: integer().notNull(),
    /** Of a GeoJSON polygon, ready to send. */
    coordinates: text().notNull(),
    /** As `bbox` and `near` compare them. */
    outline: polygon().notNull(),
    holes: polygon().array().notNull(),
  },
  (t) => [primaryKey({ columns: [t.shape, t.part] })],
)

/** The indexes for both directions of each order by a date or an area. */
const sortIndexes = (
  t: Record<"id" | "grant_date" | "expiry_date" | "area_km2", ExtraConfigColumn>,
) =>
  (["grant_date", "expiry_date", "area_km2"] as const).flatMap((name) =>
    (["asc", "desc"] as const).map((direction) =>
      index(`tenements_by_${name}_${direction}`).on(unknownLast(t[name], direction), t.id),
    ),
  )

export const tenementsTable = pgTable(
  "tenements",
  {
    id: bytewise().primaryKey(),
    ...tenementColumns,
    ...provenance,
  },
  (t) => [
    index("tenements_by_state").on(t.state, t.id),
    index("tenements_by_state_and_status").on(t.state, t.status_folded, t.id),
    index("tenements_by_status").on(t.status_folded, t.id),
    index("tenements_by_type").on(t.type_folded, t.id),
    index("tenements_by_holder").using("gin", t.holder_name_folded.op("gin_trgm_ops")),
    index("tenements_by_number").using("gin", t.search_key.op("gin_trgm_ops")),
    index("tenements_by_name").using("gin", t.name_key.op("gin_trgm_ops")),
    index("tenements_by_reference").on(t.reference_key, t.id),
    index("tenements_by_reference_desc").on(t.reference_key.desc(), t.id),
    index("tenements_by_company").using("gin", t.asx_codes),
    index("tenements_by_holder_key").using("gin", t.holder_keys),
    index("tenements_by_bounds").using("gist", t.bounds),
    ...sortIndexes(t),
    index("tenements_since").on(t.since_release),
    ...checks("tenements", {
      id: isPathSafe(t.id),
      state: isState(t.state),
      grant_date: hasFourDigitYear(t.grant_date),
      expiry_date: hasFourDigitYear(t.expiry_date),
      area_km2: sql`${t.area_km2} >= 0 and ${t.area_km2} < 'infinity'`,
    }),
  ],
)

export const tenementsHistory = pgTable(
  "tenements_history",
  {
    id: bytewise().notNull(),
    ...tenementColumns,
    ...superseded,
  },
  (t) => historyParts("tenements", t.id, t),
)

const subsidiaryColumns = {
  name: text().notNull(),
  name_folded: bytewise().notNull(),
  name_key: bytewise().notNull(),
  parent_asx_code: bytewise().notNull(),
  country: text(),
  ownership_percentage: doublePrecision(),
}

export const subsidiariesTable = pgTable(
  "subsidiaries",
  {
    id: bytewise().primaryKey(),
    ...subsidiaryColumns,
    ...provenance,
  },
  (t) => [
    index("subsidiaries_by_parent").on(t.parent_asx_code, t.name_folded, t.id),
    index("subsidiaries_by_name_key").on(t.name_key),
    index("subsidiaries_since").on(t.since_release),
    ...checks("subsidiaries", {
      id: isPathSafe(t.id),
      parent_asx_code: isAsxCode(t.parent_asx_code),
      ownership_percentage: sql`${t.ownership_percentage} between 0 and 100`,
    }),
  ],
)

export const subsidiariesHistory = pgTable(
  "subsidiaries_history",
  { id: bytewise().notNull(), ...subsidiaryColumns, ...superseded },
  (t) => historyParts("subsidiaries", t.id, t),
)

const declaredColumns = {
  asx_code: bytewise().notNull(),
  state: bytewise().notNull(),
  tenement_id: text().notNull(),
  reference_key: referenceKeyColumn(),
  interest_percent: doublePrecision(),
  as_at: date({ mode: "string" }),
  url: text(),
}

/** The tenements that companies declare as theirs, in their own schedules. */
export const declaredTenements = pgTable(
  "declared_tenements",
  { id: bytewise().primaryKey(), ...declaredColumns, ...provenance },
  (t) => [
    index("declared_tenements_since").on(t.since_release),
    ...checks("declared_tenements", {
      id: isPathSafe(t.id),
      asx_code: isAsxCode(t.asx_code),
      state: isState(t.state),
      interest_percent: sql`${t.interest_percent} > 0 and ${t.interest_percent} <= 100`,
      as_at: hasFourDigitYear(t.as_at),
    }),
  ],
)

export const declaredTenementsHistory = pgTable(
  "declared_tenements_history",
  { id: bytewise().notNull(), ...declaredColumns, ...superseded },
  (t) => historyParts("declared_tenements", t.id, t),
)

const reportColumns = {
  asx_code: bytewise().notNull(),
  title: text().notNull(),
  title_folded: bytewise().notNull(),
  type: bytewise(),
  types_folded: bytewiseArray().notNull(),
  report_group: bytewise().notNull().default("other"),
  published_at: instant("published_at").notNull(),
  url: text(),
}

export const reportsTable = pgTable(
  "reports",
  {
    hash: bytewise().primaryKey(),
    ...reportColumns,
    ...provenance,
  },
  (t) => [
    index("reports_newest_first").on(t.published_at.desc(), t.hash),
    index("reports_by_company").on(t.asx_code, t.published_at.desc(), t.hash),
    index("reports_by_type").using("gin", t.types_folded),
    // Serves the counts of both columns, in the order of the one with more values.
    index("reports_by_type_and_group").on(t.type, t.report_group),
    index("reports_by_title").using("gin", t.title_folded.op("gin_trgm_ops")),
    index("reports_since").on(t.since_release),
    ...checks("reports", {
      hash: isPathSafe(t.hash),
      asx_code: isAsxCode(t.asx_code),
      published_at: isInstant(t.published_at),
    }),
  ],
)

export const reportsHistory = pgTable(
  "reports_history",
  {
    hash: bytewise().notNull(),
    ...reportColumns,
    ...superseded,
  },
  (t) => [
    ...historyParts("reports", t.hash, t),
    index("reports_history_newest_first").on(t.published_at.desc(), t.hash),
  ],
)
