/** The release that readers see now. */
import { desc, sql } from "drizzle-orm"
import type { Pool } from "./pool.ts"
import { releases } from "./schema.ts"

export interface Release {
  /** 0 before the first. */
  id: number
  /** Unix seconds; 0 before the first. */
  publishedAt: number
}

export const noRelease: Release = { id: 0, publishedAt: 0 }

export interface Releases {
  /** Reads the newest release. @throws Unavailable */
  current(): Promise<Release>
}

export function createReleases(pool: Pool): Releases {
  const newest = pool.db
    .select({
      id: releases.id,
      publishedAt: sql<number>`extract(epoch from ${releases.published_at})`.mapWith(Number),
    })
    .from(releases)
    .orderBy(desc(releases.id))
    .limit(1)
    .prepare("newest release")
  return {
    current: async () => (await pool.run(() => newest.execute()))[0] ?? noRelease,
  }
}
