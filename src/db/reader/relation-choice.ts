/**
 * Which relation shows a release. While it is the newest, the tables of what is current are read,
 * which never touches the history. Each statement tells the newest release that it saw; where that is
 * a newer one, because a load was published in between, the same is read again with the history. Rows of
 * another release of that number, in a database that was restored, are refused.
 */
import type { Relation } from "./relations.ts"
import { noRelease, type Release, ReleaseUnavailable } from "./releases.ts"
import type { SeenReleases } from "./statements.ts"

export interface RelationChoice {
  /** What a statement gives at the release, on whichever relation shows it. @throws ReleaseUnavailable */
  read<T extends SeenReleases>(
    release: Release,
    run: (relation: Relation) => Promise<T[]>,
  ): Promise<T[]>
  /** A release newer than this one is there, though no row told so. */
  recordNewer(release: Release): void
}

export function createRelationChoice(): RelationChoice {
  /** What the last statement saw: after a restore, an older one than those before. */
  let newestSeen = 0

  return {
    read: async (release, run) => {
      const readFrom = async (relation: Relation) => {
        const rows = ensureAvailable(release, await run(relation))
        // Without rows, it is not known.
        newestSeen = rows[0]?.release ?? newestSeen
        return rows
      }
      if (release.id < newestSeen) return readFrom("asOf")
      const rows = await readFrom("current")
      const seen = rows[0]?.release ?? release.id
      return seen === release.id ? rows : readFrom("asOf")
    },

    recordNewer: ({ id }) => {
      newestSeen = Math.max(newestSeen, id + 1)
    },
  }
}

/** @throws ReleaseUnavailable if the rows were not read while the release was there */
export function ensureAvailable<T extends SeenReleases>(release: Release, rows: T[]): T[] {
  const [seen] = rows
  if (seen && (seen.publishedAt ?? noRelease.publishedAt) !== release.publishedAt) {
    throw new ReleaseUnavailable(release)
  }
  return rows
}
