import type { Command } from "commander"
import type { Config } from "../config.ts"
import { withSnapshot } from "../db/connection.ts"
import { type ReleaseOrigin, releaseOrigin } from "../db/release-files.ts"
import { keptFile, rawDirectory } from "../fetching/raw-files.ts"
import { LoadError } from "../loading/load-error.ts"
import { prune } from "../loading/prune.ts"
import { printableLine } from "../text/printable-text.ts"
import { integer } from "./arguments.ts"
import { withDatabase } from "./database.ts"
import { printCompleted, printResult } from "./terminal.ts"

export function addReleaseCommands(program: Command, config: () => Config): void {
  const releases = program.command("releases").description("manage releases")

  releases
    .command("show")
    .description("show the files that a release was loaded from, and where those that are kept are")
    .argument("<release>", "its number", integer(1, 2_147_483_647))
    .option("--json", "print it as one JSON object")
    .action(async (id: number, { json }: { json?: boolean }) => {
      const origin = await readOrigin(config(), id)
      await printResult(json ? JSON.stringify(origin) : originText(origin))
    })

  releases
    .command("prune")
    .description("delete the history of old releases")
    .requiredOption(
      "--keep-days <days>",
      "keep the releases that were the newest at any moment of this many days",
      integer(1, 99_999),
    )
    .action(async ({ keepDays }: { keepDays: number }) => {
      const { oldest, releases, records } = await withDatabase(config(), ({ url }) =>
        prune(url, keepDays),
      )
      await printCompleted(
        oldest === null
          ? "There are no releases to prune"
          : `Pruned ${releases} releases and deleted ${records} superseded records; the oldest release kept is ${oldest}`,
      )
    })
}

interface TracedOrigin extends ReleaseOrigin {
  /** `kept` is the path of the raw file; null where it is not kept. */
  files: (ReleaseOrigin["files"][number] & { kept: string | null })[]
}

async function readOrigin(config: Config, id: number): Promise<TracedOrigin> {
  const origin = await withDatabase(config, ({ url }) =>
    withSnapshot(url, (sql) => releaseOrigin(sql, id)),
  )
  if (origin === null) throw new LoadError(`There is no release ${id}`)
  const directory = rawDirectory(config.DATA_DIR, origin.source)
  const files = origin.files.map(async (file) => ({
    ...file,
    kept: file.sha256 === null ? null : await keptFile(directory, file.sha256),
  }))
  return { ...origin, files: await Promise.all(files) }
}

const originText = ({ id, published_at, source, observed, files }: TracedOrigin): string =>
  [
    `release: ${id}, of ${published_at}`,
    `source: ${source}, of files that were true at ${observed ?? "a time that is not known"}`,
    ...files.map(
      ({ name, sha256, kept }) =>
        `file: ${name}, SHA-256 ${sha256 ?? "not known"}, ${kept === null ? "not kept" : `kept as ${kept}`}`,
    ),
  ]
    .map(printableLine)
    .join("\n")
