/**
 * Removes the records of a source in a release, and forgets its loads. The states whose tenements it had
 * belong to the next source that is loaded: see `state-sources.ts`.
 */
import type { TransactionSql } from "postgres"
import { type ConfirmedChange, changeAndConfirm } from "../db/confirmed-change.ts"
import { utc } from "../db/utc.ts"
import { resources } from "../resources/catalogue.ts"
import type { ResourceName } from "../resources/resource.ts"
import { keepInHistory } from "./history.ts"
import { relink } from "./links.ts"
import { LoadError } from "./load-error.ts"
import type { Progress } from "./progress.ts"
import { insertRelease, nextRelease, publishing } from "./publish.ts"
import { storedNames } from "./stored-holders.ts"

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
  changeAndConfirm(
    url,
    (client) => {
      const onWait = () => progress.step("Waiting for a load to end")
      return publishing(client, { whenUnknown, onWait }, async (sql, committing) => {
        const removed = await removeRecords(sql, name, progress)
        committing()
        return removed
      })
    },
    ({ release }) => release !== null,
  )

async function removeRecords(
  sql: TransactionSql,
  name: string,
  progress: Progress,
): Promise<RemovedSource> {
  const [row] = await sql.unsafe(
    `delete from sources where name = $1 returning resource, ${utc("now()")} as now`,
    [name],
  )
  const resource = resources.find((each) => each.name === row?.resource)
  if (!row || !resource) throw new LoadError(`The source ${name} has not been loaded yet`)
  const release = await nextRelease(sql)
  await sql.unsafe("delete from missing_records where source = $1", [name])
  const ofSource = "t.source = $2"
  const { count: removed } = await sql.unsafe(
    `with kept as (${keepInHistory(resource.table, ofSource, "$1")})
     delete from ${resource.name} t where ${ofSource}`,
    [release, name],
  )
  if (removed === 0) return { release: null, resource: resource.name, removed }
  const links = resource.links === undefined ? null : await relink(sql, release, 0, progress)
  await insertRelease(sql, release, name, {
    observed: row.now,
    observed_is_known: true,
    holder_names: await storedNames(sql, "companies"),
    files: [],
    resources: { [resource.name]: { added: 0, changed: 0, removed, deactivated: 0 } },
    ...(links ? { links } : {}),
  })
  return { release, resource: resource.name, removed }
}
