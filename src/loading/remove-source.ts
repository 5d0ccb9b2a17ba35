/**
 * Removes the records of a source in a release, and forgets its loads. The states whose tenements it had
 * belong to the next source that is loaded: see `state-sources.ts`.
 */
import type { TransactionSql } from "postgres"
import type { ConfirmedChange } from "../db/confirmed-change.ts"
import { loadedResources } from "../resources/catalogue.ts"
import type { ResourceName } from "../resources/resource.ts"
import { keepInHistory } from "./history.ts"
import { LoadError } from "./load-error.ts"
import type { Progress } from "./progress.ts"
import { insertChange, nextRelease, publishChange } from "./publishing.ts"

export interface RemovedSource {
  /** Null where it had no records. */
  release: number | null
  resource: ResourceName
  removed: number
}

const whenUnknown =
  "It is not known whether the records were removed. Run the same command again: it removes the records that remain."

/** @throws LoadError for a source that has not been loaded */
export const removeSource = (
  url: string,
  name: string,
  progress: Progress,
): Promise<ConfirmedChange<RemovedSource>> =>
  publishChange(url, {
    whenUnknown,
    progress,
    work: (sql) => removeRecords(sql, name, progress),
    isPublished: ({ release }) => release !== null,
  })

async function removeRecords(
  sql: TransactionSql,
  name: string,
  progress: Progress,
): Promise<RemovedSource> {
  const [loaded] = await sql.unsafe("delete from sources where name = $1 returning resource", [
    name,
  ])
  const resource = loadedResources.find((each) => each.name === loaded?.resource)
  if (!resource) throw new LoadError(`The source ${name} has not been loaded yet`)
  await sql.unsafe("delete from missing_records where source = $1", [name])
  const release = await nextRelease(sql)
  const ofSource = "t.source = $2"
  const { count: removed } = await sql.unsafe(
    `with kept as (${keepInHistory(resource.table, ofSource, "$1")})
     delete from ${resource.name} t where ${ofSource}`,
    [release, name],
  )
  if (removed === 0) return { release: null, resource: resource.name, removed }
  await insertChange(sql, release, name, resource, { removed }, progress)
  return { release, resource: resource.name, removed }
}
