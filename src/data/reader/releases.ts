/** Resolves the releases that clients request. */
import { type SQL, sql } from "drizzle-orm"
import type { Pool } from "../db/pool/pool.ts"
import type { AccountId } from "../db/pool/turns.ts"
import { releasesTable } from "../db/schema.ts"

export interface Release {
  /** 0 before the first. */
  id: number
  /** Unix seconds; 0 before the first. */
  publishedAt: number
  /** Unique, unlike the number, which a restored database may use again. Empty before the first. */
  identity: string
}

export const noRelease: Release = { id: 0, publishedAt: 0, identity: "" }

/** Identifies a release. A database that was restored may publish another release of the same number. */
export const releaseKey = ({ id, identity }: Release): string => `${id} ${identity}`

/** The requested release was pruned, or a restored database has another history. */
export class ReleaseUnavailable extends Error {
  override readonly name = "ReleaseUnavailable"

  constructor({ id }: Release) {
    super(`Release ${id} is no longer available`)
  }
}

/** The releases that a statement saw. */
export interface SeenReleases {
  /** The number of the newest release; null if the requested release is not there. */
  release: number | null
}

/** A release by its number, or the newest that was published by a point in time. */
export type ReleasePoint =
  | { kind: "release"; id: number }
  | { kind: "day" | "moment"; untilSeconds: number }

/** `account`: whose turn the query takes; the service itself by default. */
export interface Releases {
  /** Reads the newest release. @throws Unavailable */
  current(account?: AccountId): Promise<Release>
  /** The number of the oldest release that can be read; 0 before the first. @throws Unavailable */
  oldest(account?: AccountId): Promise<number>
  /** Reads the release at that point, or the reason why it is unavailable. @throws Unavailable */
  at(point: ReleasePoint, account?: AccountId): Promise<Release | { refused: string }>
}

/** No release has a greater id or time. */
const lastId = 2_147_483_647
const lastSecond = 253_402_300_799

export function createReleases(pool: Pool): Releases {
  const found = pool.db
    .select({
      id: releasesTable.id,
      publishedAt: epoch(sql`${releasesTable.published_at}`),
      identity: releasesTable.identity,
      oldest: sql<number>`(select min(${releasesTable.id}) from ${releasesTable} where not ${releasesTable.is_pruned})`,
      newest: sql<number>`(select max(${releasesTable.id}) from ${releasesTable})`,
    })
    .from(sql`(select 1) as one`)
    .leftJoin(
      releasesTable,
      sql`${releasesTable.id} = (select max(r.id) from ${releasesTable} r
        where r.id <= ${sql.placeholder("id")} and r.published_at <= to_timestamp(${sql.placeholder("until")}))`,
    )
    .prepare("release at")

  async function read(id: number, until: number, account: AccountId = null) {
    const [row] = await pool.runAlone(account, () => found.execute({ id, until }))
    const { id: number, publishedAt, identity } = row ?? {}
    const release =
      number == null || publishedAt == null || identity == null
        ? noRelease
        : { id: number, publishedAt, identity }
    return { release, oldest: row?.oldest ?? 0, newest: row?.newest ?? 0 }
  }

  return {
    current: async (account) => (await read(lastId, lastSecond, account)).release,

    oldest: async (account) => (await read(lastId, lastSecond, account)).oldest,

    at: async (point, account) => {
      const { release, oldest, newest } =
        point.kind === "release"
          ? await read(point.id, lastSecond, account)
          : await read(lastId, Math.min(point.untilSeconds, lastSecond), account)
      if (point.kind === "release" && point.id > newest) {
        return { refused: `Release ${point.id} is not published; the newest is ${newest}` }
      }
      if (release.id < oldest && oldest > 1) {
        return { refused: `Must not be before release ${oldest}, the oldest that is available` }
      }
      return release
    },
  }
}

const epoch = (instant: SQL) => sql<number | null>`extract(epoch from ${instant})`.mapWith(Number)
