/** The licences of the sources, for files that leave the service. */
import { asc } from "drizzle-orm"
import type { Readable } from "../../resources/resource.ts"
import type { ReadPool } from "../pool/pool.ts"
import type { AccountId } from "../pool/turns.ts"
import { loadedSources as table } from "../source-tables.ts"

export interface SourceLicence {
  source: string
  licence: string | null
  attribution: string | null
}

/** Of the sources of a resource or, for records that come from several resources, of all. May throw Unavailable. */
export type ReadLicences = (
  resource: Pick<Readable, "name">,
  account: AccountId,
) => Promise<readonly SourceLicence[]>

export const createLicences =
  (pool: ReadPool): ReadLicences =>
  async ({ name }, account) => {
    const all = await pool.runAlone(account, (db) =>
      db
        .select({
          source: table.name,
          resource: table.resource,
          licence: table.licence,
          attribution: table.attribution,
        })
        .from(table)
        .orderBy(asc(table.number)),
    )
    const own = all.filter(({ resource }) => resource === name)
    return (own.length > 0 ? own : all).map(({ resource, ...licence }) => licence)
  }
