/** Reads the missing records: the last files of their source lack them, and no load has removed them yet. */
import type { Sql, TransactionSql } from "postgres"
import { loadedResources } from "../resources/catalogue.ts"
import type { ResourceName } from "../resources/resource.ts"
import type { ReadPool } from "./pool/pool.ts"
import type { AccountId } from "./pool/turns.ts"
import { utc } from "./utc.ts"

export interface MissingRecord {
  key: string
  /** Its name for people. */
  label: string
  /** The times of the first and the last files that lack it. */
  missing_since: string
  last_missing_at: string
  /** The number of loads that lacked it, each with files of another time. */
  loads: number
}

/** Expressions for the size and the name of a record, over its resource's table. */
const described: Record<ResourceName, { size: string; label: string }> = {
  companies: { size: "market_cap_aud", label: "company_name" },
  tenements: { size: "area_km2", label: "concat_ws(', ', tenement_id, holder_name)" },
  subsidiaries: { size: "null::integer", label: "name" },
  reports: { size: "null::integer", label: "title" },
  declared_tenements: { size: "null::integer", label: "concat_ws(' ', state, tenement_id)" },
}

/** Returns the largest of the records whose keys a query selects. */
export async function largestRecords(
  sql: Sql | TransactionSql,
  name: ResourceName,
  keys: string,
  limit: number,
): Promise<Pick<MissingRecord, "key" | "label">[]> {
  const { size, label } = described[name]
  const key = keyOf(name)
  const rows = await sql.unsafe<Pick<MissingRecord, "key" | "label">[]>(
    `select ${key} as key, ${label} as label from ${name} where ${key} in (${keys})
     order by ${size} desc nulls last, ${key} limit $1`,
    [limit],
  )
  return [...rows]
}

/** For messages. */
export const namesOf = (records: readonly Pick<MissingRecord, "key" | "label">[]): string =>
  records.map(({ key, label }) => `${key} (${label})`).join("; ")

const keyOf = (name: ResourceName) =>
  loadedResources.find((resource) => resource.name === name)?.key

/** Returns the missing records of a source, the largest by market capitalisation or area first. */
export function missingRecords(
  sql: TransactionSql,
  source: string,
  name: ResourceName,
  limit: number | null = null,
): Promise<MissingRecord[]> {
  const { size, label } = described[name]
  return sql.unsafe<MissingRecord[]>(
    `select m.key, ${label} as label, ${utc("m.missing_since")} as missing_since,
       ${utc("m.last_missing_at")} as last_missing_at, m.loads
     from missing_records m join ${name} t on t.${keyOf(name)} = m.key and t.source = m.source
     where m.source = $1 and m.resource = $2
     order by ${size} desc nulls last, m.key limit $3`,
    [source, name, limit],
  )
}

/**
 * Returns the missing records of a resource: the day of the first files that lack each, by its key. They belong
 * to no release. May throw Unavailable.
 * @param key of one record, to read no other
 */
export type ReadMissing = (
  resource: string,
  account: AccountId,
  key?: string,
) => Promise<ReadonlyMap<string, string>>

export const createMissingReader =
  (pool: ReadPool): ReadMissing =>
  async (resource, account, key) => {
    const statement = `select key, left(${utc("missing_since")}, 10) as since from missing_records
      where resource = $1 and ($2::text is null or key = $2)`
    const rows = await pool.runAlone(account, (db) =>
      db.$client.unsafe<Record<"key" | "since", string>[]>(statement, [resource, key ?? null]),
    )
    return new Map(rows.map(({ key, since }) => [key, since]))
  }
