/**
 * What is known of each source that has been loaded: when, with what outcome, and how much of it
 * there is. The records are counted when it is read, because a source can lose records to a higher
 * one.
 */
import type { Sql, TransactionSql } from "postgres"
import { resources } from "../resources/catalogue.ts"
import type { ResourceName } from "../resources/resource.ts"
import { type MissingRecord, missingRecords } from "./missing-records.ts"
import type { LoadOutcome } from "./source-tables.ts"
import { utc } from "./utc.ts"

export interface SourceStatus {
  name: string
  resource: ResourceName
  /** Stored records of this source, inactive ones too. */
  records: number
  /** Those of them that its last files lack, and that have not gone yet. */
  missing: number
  /** Those of its tenements that are linked to a company; null for other resources. */
  linked: number | null
  licence: string | null
  attribution: string | null
  /** Without user, query and fragment. */
  address: string | null
  /** When its files were last fetched, whether or not they had changed. */
  last_fetched_at: string | null
  /** When its last fetch began, whatever came of it. */
  last_attempted_at: string | null
  /** Null where nothing has been loaded. */
  last_loaded_at: string | null
  /** Of its last load or fetch, whichever was later. */
  last_outcome: LoadOutcome
  /** Why it was refused, or failed. */
  last_reason: string | null
  /** When the newest files that were not refused were true; null where there were none. */
  last_observed_at: string | null
  /** The last release that changed its records, and when it was published. */
  last_release: number | null
  last_changed_at: string | null
  /** Of the last files that were not refused. */
  counts: RowCounts | Record<string, never>
}

/** Rows of a load by what became of them, and values that stayed unknown. */
export interface RowCounts {
  files: number
  read: number
  accepted: number
  rejected: number
  unknown_values: number
}

/** By name. One statement, so that all figures are of one state. */
export const sourceStatuses = async (sql: Sql | TransactionSql): Promise<SourceStatus[]> => [
  ...(await sql.unsafe<SourceStatus[]>(statusStatement("name, resource"))),
]

/**
 * Its rows are `SourceStatus`, in the order of these columns. It counts every record: a second or
 * so for some millions.
 */
export function statusStatement(order: string): string {
  const records = resources.map(
    ({ name }) =>
      `select source, '${name}' as resource, count(*)::integer as records, ${linkedOf(name)} as linked
       from ${name} group by source`,
  )
  const missing = resources.map(
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
      s.licence, s.attribution, s.address, ${utc("s.last_fetched_at")} as last_fetched_at,
      ${utc("s.last_attempted_at")} as last_attempted_at, ${utc("s.last_loaded_at")} as last_loaded_at, s.last_outcome, s.last_reason,
      ${utc("s.last_observed_at")} as last_observed_at, s.last_release,
      ${utc("s.last_changed_at")} as last_changed_at, s.counts
    from sources s
      left join records on records.source = s.name and records.resource = s.resource
      left join missing on missing.source = s.name and missing.resource = s.resource
    order by ${order}`
}

const linkedOf = (name: ResourceName): string =>
  name === "tenements" ? "count(*) filter (where asx_codes <> '{}')::integer" : "null::integer"

export interface SourceDetails extends SourceStatus {
  /** The largest first. */
  missing_records: MissingRecord[]
}

/** Of the source of that name, for each of its resources; empty where it has not been loaded. */
export async function sourceDetails(
  sql: Sql | TransactionSql,
  name: string,
): Promise<SourceDetails[]> {
  const details: SourceDetails[] = []
  for (const status of await sourceStatuses(sql)) {
    if (status.name !== name) continue
    details.push({ ...status, missing_records: await missingRecords(sql, name, status.resource) })
  }
  return details
}
