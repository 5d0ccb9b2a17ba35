/** The program runs with the dependencies of its lockfile, patches included, or not at all. */
import { expect, test } from "bun:test"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { directoryOfFile } from "./support/of-file.ts"

const root = Bun.fileURLToPath(new URL("..", import.meta.url))

const checkout = directoryOfFile()
for (const path of ["package.json", "bun.lock", "bunfig.toml", "patches", "src"]) {
  cpSync(join(root, path), join(checkout, path), { recursive: true })
}

// Left to itself, Bun would take unpatched packages from its cache or from the registry.
test("A checkout whose dependencies are not installed does not start", async () => {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, "run", "mds", "--help"], {
    cwd: checkout,
  })
  expect(stderr.toString()).toMatch(/Cannot find (package|module)/)
  expect(exitCode).not.toBe(0)
})
