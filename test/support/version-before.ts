/** The program as it was before its newest migration, from the repository's history. */
import { mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { reportSkipped } from "./supervised.ts"

const root = Bun.fileURLToPath(new URL("../..", import.meta.url))

function git(...args: string[]): string | undefined {
  const program = Bun.which("git")
  if (!program) return undefined
  const { success, stdout } = Bun.spawnSync([program, "-C", root, ...args], { stderr: "ignore" })
  return success ? stdout.toString().trim() : undefined
}

/** A clone without history does not have it. */
const newestMigration = git("log", "-1", "--format=%H", "--", "drizzle/meta/_journal.json")
const commitBefore =
  newestMigration && git("rev-parse", "--verify", "--quiet", `${newestMigration}^`)

/** For `test.skipIf(!versionBeforeIsKnown)`. */
export const versionBeforeIsKnown = Boolean(commitBefore)

/** Reports a test file of which tests are skipped, if they are. Pass `import.meta.path`. */
export function reportIfWithoutHistory(path: string): void {
  if (!versionBeforeIsKnown) reportSkipped(path, "the repository's history")
}

export interface VersionBefore {
  /** Of its command line, for `bun`. */
  main: string
  remove(): void
}

/** Writes its files into a directory, with the packages of today. */
export function versionBefore(): VersionBefore {
  const directory = mkdtempSync(join(tmpdir(), "mds-version-before-"))
  const { success, stderr } = Bun.spawnSync([
    "/bin/sh",
    "-c",
    'git -C "$0" archive "$1" | tar -x -C "$2"',
    root,
    commitBefore ?? "",
    directory,
  ])
  if (!success) throw new Error(`Cannot write the version before: ${stderr}`)
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"))
  return {
    main: join(directory, "src/main.ts"),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}
