/** The migrations of a released version never change, and together they create what the schema declares. */
import { expect, test } from "bun:test"
import { cpSync } from "node:fs"
import { join, relative } from "node:path"
import { Glob } from "bun"
import { directoryOfFile } from "../../support/of-file.ts"

const root = join(import.meta.dir, "../../..")
const migrations = join(root, "drizzle")
const copy = directoryOfFile()

/** The SHA-256 of each migration. A release adds its new ones; change none, since databases have them. */
const released = {
  "0000_baseline.sql": "a5d9f272a8fb955499325758fd4ea079d4f809820e7d3f3cd2538ef020b6625f",
  "0001_watches.sql": "9596e7eac5d6c199548b7c31c90a9220ce8d3d609eecd0663c2ed13eff1bc226",
  "0002_tenement_names.sql": "e47fb46fbf34206ac9ad138561c7f4ebfe149d40ebfe8a371d4c0bf9ebad2603",
}

const files = (folder: string) => [...new Glob("*.sql").scanSync(folder)].sort()

test("Each migration has the content that it was released with", async () => {
  const digests = files(migrations).map(async (name) => {
    const content = await Bun.file(join(migrations, name)).bytes()
    return [name, Bun.CryptoHasher.hash("sha256", content, "hex")]
  })
  expect(Object.fromEntries(await Promise.all(digests))).toEqual(released)
})

test("`bun run generate` finds nothing to add to the migrations", () => {
  cpSync(migrations, copy, { recursive: true })
  // Relative, because drizzle-kit prefixes even an absolute path with its working directory.
  const args = ["run", "generate", "missing", `--out=${relative(root, copy)}`]
  const { stdout } = Bun.spawnSync([process.execPath, ...args], { cwd: root, stdin: "ignore" })
  expect(stdout.toString()).toContain("No schema changes")
  expect(files(copy)).toEqual(files(migrations))
})
