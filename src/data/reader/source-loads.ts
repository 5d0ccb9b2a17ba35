/** The latest load of each source, from the manifests of the releases. */
import { desc, sql } from "drizzle-orm"
import type { Pool } from "../db/pool/pool.ts"
import { releasesTable } from "../db/schema.ts"
import type { Release } from "./releases.ts"

export interface SourceLoad {
  source: string
  /** The names of its files. */
  files: readonly string[]
  /** How many tenements of each state were linked to a company after it; null where links did not depend on it. */
  byState: LinkedShares | null
}

export interface LinkedTenements {
  tenements: number
  /** Those with a company among their holders. */
  of_companies: number
  linked: number
}

export type LinkedShares = Readonly<Record<string, LinkedTenements>>

/** The latest first, none after the release. May throw Unavailable. */
export type ReadSourceLoads = (release: Release) => Promise<readonly SourceLoad[]>

export function createSourceLoads(pool: Pool): ReadSourceLoads {
  const latest = pool.db
    .select({
      source: releasesTable.source,
      // Without the rest of the manifest, which may have hundreds of texts.
      files: sql<string[]>`jsonb_path_query_array(${releasesTable.manifest}, '$.files[*].name')`,
      byState: sql<SourceLoad["byState"]>`${releasesTable.manifest} #> '{links,by_state}'`,
    })
    .from(releasesTable)
    .where(
      sql`${releasesTable.id} in (select max(r.id) from ${releasesTable} r
        where r.id <= ${sql.placeholder("id")} group by r.source)`,
    )
    .orderBy(desc(releasesTable.id))
    .prepare("source loads")

  return ({ id }) => pool.runAlone(null, () => latest.execute({ id }))
}
