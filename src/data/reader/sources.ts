/**
 * Reads the state of the sources. Releases change it, and loads that publish none, so it has a version of
 * its own. Counting the records takes up to seconds, so it happens once for each version.
 */

import type { Database, Pool } from "../db/pool/pool.ts"
import type { AccountId } from "../db/pool/turns.ts"
import { type SourceStatus, statusStatement } from "../db/source-status.ts"
import type { ResourceRecord } from "../resources/resource.ts"
import { sources } from "../resources/sources.ts"

export interface SourceStates {
  /** Changes whenever a record changes. */
  version: string
  /** In the order of their first loads, with the fields of the resource. */
  records: readonly ResourceRecord[]
  /** Why the last load of a source was refused, by its name. For everyone to read. */
  refusals: ReadonlyMap<string, string>
}

/** @throws Unavailable */
export type ReadSources = (account: AccountId) => Promise<SourceStates>

/** The newest release, and the transaction that last wrote each source. */
const version = `concat_ws(' ',
  (select max(id) || ' ' || extract(epoch from max(published_at)) from releases),
  (select string_agg(concat_ws(' ', name, resource, xmin), ' ' order by name, resource) from sources))`

/** @param lists counts the records; @param records reads the version */
export function createSources({ lists, records }: Record<"lists" | "records", Pool>): ReadSources {
  let last: SourceStates | undefined

  async function readVersion(account: AccountId): Promise<string> {
    const [row] = await records.runAlone(account, (db) =>
      db.$client.unsafe<{ version: string }[]>(`select ${version} as version`),
    )
    if (!row) throw new Error("A query for a version returned no row")
    return row.version
  }

  /** One statement, so that the version is that of the records. */
  async function readStates(db: Database): Promise<SourceStates> {
    const [row] = await db.$client.unsafe<{ version: string; statuses: string }[]>(
      `select ${version} as version, (
         select coalesce(json_agg(status), '[]')::text from (${statusStatement("s.number")}) status) as statuses`,
    )
    if (!row) throw new Error("A query for the sources returned no row")
    const statuses: SourceStatus[] = JSON.parse(row.statuses)
    return {
      version: row.version,
      records: statuses.filter(hasPublished).map(toRecord),
      refusals: new Map(
        statuses.flatMap(({ name, last_finding }) => (last_finding ? [[name, last_finding]] : [])),
      ),
    }
  }

  return async (account) => {
    const current = await readVersion(account)
    if (last?.version === current) return last
    const states = await lists.run(account, `sources ${current}`, readStates)
    last = states
    return states
  }
}

/** The public list excludes names that only failed loads and fetches have recorded. */
const hasPublished = ({ last_release }: SourceStatus): boolean => last_release !== null

function toRecord({ name, counts, ...status }: SourceStatus): ResourceRecord {
  const values: ResourceRecord = {
    ...status,
    source: name,
    rejected: counts.rejected ?? null,
    unknown_values: counts.unknown_values ?? null,
    linked_percentage: percentage(status.linked, status.records),
    linked_percentage_of_companies: percentage(status.linked, status.of_companies ?? 0),
  }
  return Object.fromEntries(
    Object.keys(sources.fields).map((field) => [field, values[field] ?? null]),
  )
}

/** To a tenth. */
const percentage = (part: number | null, whole: number): number | null =>
  part === null || whole === 0 ? null : Math.round((part / whole) * 1000) / 10
