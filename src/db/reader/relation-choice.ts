/**
 * Chooses the relation from which a release is read. While it is the newest release, the current
 * tables are read, without the history. Each statement returns the newest release that its snapshot
 * saw; where that is a newer one, because a load was published in between, the query is repeated with
 * the history. Rows of another release of the same number, in a database that was restored, are
 * refused.
 */
import type { Relation } from "./relations.ts"
import { type Release, ReleaseUnavailable } from "./releases.ts"
import type { ListShape, SeenReleases } from "./statements.ts"

export interface RelationChoice {
  /** The result of a statement at the release, from the relation that contains it. @throws ReleaseUnavailable */
  read<T extends SeenReleases>(
    release: Release,
    run: (relation: Relation) => Promise<T[]>,
  ): Promise<T[]>
  /** @throws ReleaseUnavailable if the rows were not read while the release was there */
  ensureAvailable<T extends SeenReleases>(release: Release, rows: T[]): T[]
  /** Records that a newer release exists, although no row said so. */
  recordNewer(release: Release): void
}

/** @param onSeen called with what each statement saw: the newest release, or null */
export function createRelationChoice(
  onSeen: (newest: number | null) => void = () => {},
): RelationChoice {
  /** By the last statement: after a restore of the database, it may be an older one than before. */
  let newestSeen = 0

  function ensureAvailable<T extends SeenReleases>(release: Release, rows: T[]): T[] {
    const [seen] = rows
    if (seen) onSeen(seen.release)
    if (seen?.release === null) throw new ReleaseUnavailable(release)
    return rows
  }

  return {
    ensureAvailable,

    read: async (release, run) => {
      const readFrom = async (relation: Relation) => {
        const rows = ensureAvailable(release, await run(relation))
        // Without rows it is unknown.
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

/** The result of a statement on a list at the release. @throws ReleaseUnavailable */
export const readList = async <T extends SeenReleases>(
  relations: RelationChoice,
  release: Release,
  { removed }: Pick<ListShape, "removed">,
  run: (relation: Relation) => Promise<T[]>,
): Promise<T[]> =>
  removed ? relations.ensureAvailable(release, await run("removed")) : relations.read(release, run)
