/** The releases that readers can ask for. */
import { type SQL, sql } from "drizzle-orm"
import type { Account } from "../pool/fair-queue.ts"
import type { Pool } from "../pool/pool.ts"
import { releases } from "../schema.ts"

export interface Release {
  /** 0 before the first. */
  id: number
  /** Unix seconds; 0 before the first. */
  publishedAt: number
}

export const noRelease: Release = { id: 0, publishedAt: 0 }

/** Tells a release from all others: release 7 of a database that was restored is another release 7. */
export const releaseKey = ({ id, publishedAt }: Release): string => `${id} ${publishedAt}`

/** The release that was to be read was pruned, or another database with another history was restored. */
export class ReleaseUnavailable extends Error {
  override readonly name = "ReleaseUnavailable"

  constructor({ id }: Release) {
    super(`Release ${id} is no longer available`)
  }
}

/** A release by its number, or the newest that was published by a second. */
export type ReleasePoint = { kind: "release"; id: number } | { kind: "time"; untilSeconds: number }

/** `account`: whose turn at the database it takes; nobody's, where it is left out. */
export interface Releases {
  /** Reads the newest release. @throws Unavailable */
  current(account?: Account): Promise<Release>
  /** The release that stood then, or why none can be shown. @throws Unavailable */
  at(point: ReleasePoint, account?: Account): Promise<Release | { refused: string }>
}

/** Past every id and every time that a release can have. */
const lastId = 2_147_483_647
const lastSecond = 253_402_300_799

export function createReleases(pool: Pool): Releases {
  const found = pool.db
    .select({
      id: releases.id,
      publishedAt: epoch(sql`${releases.published_at}`),
      oldest: sql<number>`(select min(${releases.id}) from ${releases})`,
      newest: sql<number>`(select max(${releases.id}) from ${releases})`,
    })
    .from(sql`(select 1) as one`)
    .leftJoin(
      releases,
      sql`${releases.id} = (select max(r.id) from ${releases} r
        where r.id <= ${sql.placeholder("id")} and r.published_at <= to_timestamp(${sql.placeholder("until")}))`,
    )
    .prepare("release at")

  async function read(id: number, until: number, account?: Account) {
    const [row] = await pool.run(() => found.execute({ id, until }), account)
    const release =
      row?.id == null || row.publishedAt == null
        ? noRelease
        : { id: row.id, publishedAt: row.publishedAt }
    return { release, oldest: row?.oldest ?? 0, newest: row?.newest ?? 0 }
  }

  return {
    current: async (account) => (await read(lastId, lastSecond, account)).release,

    at: async (point, account) => {
      const { release, oldest, newest } =
        point.kind === "release"
          ? await read(point.id, lastSecond, account)
          : await read(lastId, Math.min(point.untilSeconds, lastSecond), account)
      if (point.kind === "release" && point.id > newest) {
        return { refused: `Release ${point.id} is not published; the newest is ${newest}` }
      }
      if (release.id < oldest && oldest > 1) {
        return { refused: `Is before release ${oldest}, the oldest that is still kept` }
      }
      return release
    },
  }
}

/** An instant in Unix seconds. */
export const epoch = (instant: SQL) =>
  sql<number | null>`extract(epoch from ${instant})`.mapWith(Number)
