import { withFirstConnection } from "../data/db/first-connection.ts"
import { isUpToDate, pendingOf } from "../data/db/pending.ts"
import { version } from "../program.ts"
import { command } from "./command.ts"
import { openDatabase } from "./database.ts"
import { logToStderr } from "./terminal.ts"
import { upgrade } from "./upgrade.ts"

export const migrateCommand = command({
  help: "migrate the database to this version, while the version before serves",
  details:
    "`serve` and `quickstart` do the same at their start. It may compute stored values again, in a release.\nIf it is interrupted, run it again.",
  run: async (_, { config }) => {
    const database = await openDatabase(config, async (url) => {
      const pending = await withFirstConnection(url, pendingOf)
      if (isUpToDate(pending))
        logToStderr(`Nothing to do: the database is up to date with version ${version}`)
      else await upgrade(url, pending)
    })
    await database.close()
  },
})
