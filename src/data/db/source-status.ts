/** Reads the state of each loaded source: times, outcome and the numbers of its stored records. */
import type { TransactionSql } from "postgres"
import { loadedResources } from "../resources/catalogue.ts"
import type { ResourceName } from "../resources/resource.ts"
import type { loadedSources } from "./source-tables.ts"
import { utc } from "./utc.ts"

/** Times are as `2026-01-02T03:04:05Z`. */
export interface SourceStatus
  extends Omit<
    typeof loadedSources.$inferSelect,
    "resource" | "number" | "last_observed_is_known" | "last_files" | "counts" | "totals"
  > {
  resource: ResourceName
  /** The number of its stored records, inactive ones too. */
  records: number
  /** The number of records that its last files lack. */
  missing: number
  /** The number of its tenements that are linked to a company; null for other resources. */
  linked: number | null
  /** The number of its tenements with a company among their holders; null for other resources. */
  of_companies: number | null
  /** The figures of its last accepted files. */
  counts: RowCounts | Record<string, never>
}

/** The numbers of rows of a load, by outcome, and of unknown values. */
export interface RowCounts {
  files: number
  read: number
  accepted: number
  rejected: number
  unknown_values: number
}

/** Returns the states by name. One statement reads one snapshot. */
export const sourceStatuses = (sql: TransactionSql): Promise<SourceStatus[]> =>
  sql.unsafe<SourceStatus[]>(statusStatement("name, resource"))

/**
 * Returns the statement whose rows are `SourceStatus`, in the order of these columns. It counts every record,
 * which takes about a second for some millions.
 */
export function statusStatement(order: string): string {
  const records = loadedResources.map(
    ({ name }) =>
      `select source, '${name}' as resource, count(*)::integer as records,
         ${tenementsOf(name, "asx_codes <> '{}'")} as linked,
         ${tenementsOf(name, "has_company or asx_codes <> '{}'")} as of_companies
       from ${name} group by source`,
  )
  const missing = loadedResources.map(
    ({ name, key }) =>
      `select m.source, m.resource from missing_records m
       join ${name} t on t.${key} = m.key and t.source = m.source where m.resource = '${name}'`,
  )
  return `
    with records as (${records.join(" union all ")}),
    missing as (
      select source, resource, count(*)::integer as missing
      from (${missing.join(" union all ")}) each group by source, resource
    )
    select s.name, s.resource, coalesce(records.records, 0) as records,
      coalesce(missing.missing, 0) as missing,
      case when s.resource = 'tenements' then coalesce(records.linked, 0) end as linked,
      case when s.resource = 'tenements' then coalesce(records.of_companies, 0) end as of_companies,
      s.licence, s.attribution, s.crs, s.address, ${utc("s.last_fetched_at")} as last_fetched_at,
      ${utc("s.last_attempted_at")} as last_attempted_at, ${utc("s.last_loaded_at")} as last_loaded_at, s.last_outcome, s.last_reason,
      s.last_finding,
      case when s.last_observed_is_known then ${utc("s.last_observed_at")} end as last_observed_at, s.last_release,
      ${utc("s.last_changed_at")} as last_changed_at, s.counts
    from sources s
      left join records on records.source = s.name and records.resource = s.resource
      left join missing on missing.source = s.name and missing.resource = s.resource
    order by ${order}`
}

const tenementsOf = (name: ResourceName, condition: string): string =>
  name === "tenements" ? `count(*) filter (where ${condition})::integer` : "null::integer"
