import packageJson from "../package.json"

/**
 * Where the program's files are. Both this source file and the bundle of the images (`dist/`, see the
 * Dockerfile) are one level below the root.
 */
export const programRoot = new URL("../", import.meta.url)

/** The command that starts another process of the program. */
export const mainFile = Bun.fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "main.ts" : "main.js", import.meta.url),
)

export const { version } = packageJson
