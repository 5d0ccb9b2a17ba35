/** Removes the records of a source in a release, and forgets its loads. Then other sources may load their keys. */
import { loadedResources } from "../../data/resources/catalogue.ts"
import { noChanges } from "./figures.ts"
import { keepInHistory } from "./history.ts"
import { LoadError } from "./load-error.ts"
import type { Progress } from "./progress.ts"
import { publishChange } from "./publishing.ts"

const whenUnknown =
  "It is not known whether the records were removed. Run the same command again: it removes the records that remain."

/** @throws LoadError for a source that has not been loaded */
export const removeSource = (url: string, source: string, progress: Progress) =>
  publishChange(url, {
    ...{ whenUnknown, progress, source },
    change: async (sql, release) => {
      const [loaded] = await sql.unsafe("delete from sources where name = $1 returning resource", [
        source,
      ])
      const resource = loadedResources.find((each) => each.name === loaded?.resource)
      if (!resource) throw new LoadError(`The source ${source} has not been loaded yet`)
      await sql.unsafe("delete from missing_records where source = $1", [source])
      const ofSource = "t.source = $2"
      const { count: removed } = await sql.unsafe(
        `with kept as (${keepInHistory(resource.table, ofSource)})
         delete from ${resource.name} t where ${ofSource}`,
        [release, source],
      )
      return removed === 0 ? null : { resource, changes: { ...noChanges, removed } }
    },
  })
