/**
 * Rewrites the baseline migration: the statements that drizzle-kit generates from the declared tables, the
 * storage of shapes, then triggers.sql. Run it with `bun run generate` after each change of the schema.
 */
import { rm } from "node:fs/promises"
import { join, relative } from "node:path"

const root = join(import.meta.dir, "../../..")
const breakpoint = "\n--> statement-breakpoint\n"
/** For substring search. Any role with CREATE on the database may create it. */
const extension = "CREATE EXTENSION IF NOT EXISTS pg_trgm;"
/** Compressing large shapes would take most of the time of their load. */
const storage = `ALTER TABLE "shape_parts" ${["coordinates", "outline", "holes"].map((name) => `ALTER "${name}" SET STORAGE EXTERNAL`).join(", ")};`

/** @throws Error where drizzle-kit fails */
export async function generateBaseline(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  const { stdout, stderr } = Bun.spawnSync(
    [
      process.execPath,
      "node_modules/drizzle-kit/bin.cjs",
      "generate",
      "--dialect=postgresql",
      "--schema=./src/data/db/{schema,*-tables}.ts",
      // Relative, because drizzle-kit prefixes even an absolute path with its working directory.
      `--out=${relative(root, folder)}`,
      "--name=baseline",
    ],
    { cwd: root, stdin: "ignore" },
  )
  const file = Bun.file(join(folder, "0000_baseline.sql"))
  // Its exit status is 0 even after some failures.
  if (!(await file.exists())) throw new Error(`drizzle-kit failed: ${stdout}${stderr}`)
  const triggers = await Bun.file(join(root, "src/data/db/triggers.sql")).text()
  await file.write([extension, (await file.text()).trim(), storage, triggers].join(breakpoint))
}

if (import.meta.main) await generateBaseline(join(root, "drizzle"))
