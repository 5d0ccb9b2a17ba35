/**
 * Vacuums after a large release, as autovacuum would later. A new table has no statistics and no visibility
 * map, and its GIN index has a pending list: the first requests would be slow. The release is complete
 * without it, so a failure is a warning.
 */
import { withConnection } from "../../data/db/connection.ts"
import type { ResourceName } from "../../data/resources/resource.ts"
import { type PublishedLoad, rowsChanged } from "./figures.ts"
import { reasonOf } from "./load-error.ts"
import type { Progress } from "./progress.ts"

const manyRows = 10_000

/** Vacuums and analyzes the tables of which a release changed many rows. A failure is a warning. */
export async function vacuumChanged(
  url: string,
  published: PublishedLoad,
  progress: Progress,
): Promise<void> {
  for (const table of changedMuch(published)) {
    progress.step(`Vacuuming and analyzing ${table}`)
    await vacuum(url, table).catch((error: unknown) => {
      progress.warn(
        `Cannot vacuum and analyze ${table}: ${reasonOf(error)}; autovacuum will do it later`,
      )
    })
  }
}

function changedMuch({ release, resource, changes, links }: PublishedLoad): ResourceName[] {
  if (release === null) return []
  const ofLoad = rowsChanged(changes) >= manyRows ? [resource] : []
  const ofLinks: ResourceName[] = links && links.changed.tenements >= manyRows ? ["tenements"] : []
  return [...new Set([...ofLoad, ...ofLinks])]
}

/** The vacuum has no time limit; the wait for a lock of another session has one. */
const vacuum = (url: string, table: ResourceName) =>
  withConnection(url, async (client) => {
    await client.unsafe("set statement_timeout = 0; set lock_timeout = '10s'")
    const tables = table === "tenements" ? "tenements, shape_parts" : table
    await client.unsafe(`vacuum (analyze) ${tables}`)
  })
