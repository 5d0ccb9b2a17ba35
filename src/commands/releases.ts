import { newestReleases, releaseOrigin } from "../data/db/release-files.ts"
import { keptFile, rawDirectory } from "../ingest/fetching/raw-files.ts"
import { LoadError } from "../ingest/loading/load-error.ts"
import { prune as pruneReleases } from "../ingest/loading/prune.ts"
import { countOf } from "../system/text/display.ts"
import { argument, command, group, integerParameter, option, reading, required } from "./command.ts"
import { withDatabase, withSnapshotOf } from "./database.ts"
import { formatTable, printCompleted } from "./terminal.ts"

const list = reading({
  help: "list the newest releases, with the numbers of added, changed and removed records",
  parameters: {
    count: option("<n>", "number of releases (default: 20)", integerParameter(1, 1_000_000)),
  },
  read: ({ count = 20 }, { config }) => withSnapshotOf(config, (sql) => newestReleases(sql, count)),
  text: formatTable,
})

const show = reading({
  help: "show the files of a release, and the paths of their stored copies",
  parameters: { release: argument(integerParameter(1, 2_147_483_647), "its number") },
  read: async ({ release }, { config }) => {
    const origin = await withSnapshotOf(config, (sql) => releaseOrigin(sql, release))
    if (origin === null) throw new LoadError(`There is no release ${release}`)
    const directory = rawDirectory(config.DATA_DIR, origin.source)
    const files = origin.files.map(async (file) => ({
      ...file,
      kept: file.sha256 === null ? null : await keptFile(directory, file.sha256),
    }))
    return { ...origin, files: await Promise.all(files) }
  },
  text: ({ id, published_at, source, observed, files }) => {
    const release = { release: id, published_at, source, data_as_of: observed }
    return `${formatTable([release])}\n\n${formatTable(files)}`
  },
})

const prune = command({
  help: "delete the history of old releases",
  parameters: {
    keepDays: required(
      "<days>",
      "keep the releases of this many days",
      integerParameter(1, 99_999),
    ),
  },
  run: async ({ keepDays }, { config }) => {
    const pruned = await withDatabase(config, ({ url }) => pruneReleases(url, keepDays))
    const { oldest, releases, records } = pruned
    await printCompleted(
      oldest === null
        ? "There are no releases to prune"
        : `Pruned ${countOf(releases, "release")} and deleted ${countOf(records, "superseded record")}; the oldest release is ${oldest}`,
    )
  },
})

export const releasesCommand = group("list, show and prune releases", { list, show, prune })
