/** A made-up later version of the program: a copy of this one, edited as the guide's architecture page says. */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { programRoot } from "../../../src/program.ts"

export const furtherVersion = "99.0.0"

/** In each file, what is after the first match of a pattern. */
const edits: Readonly<Record<string, readonly [after: RegExp, insertion: string]>> = {
  "src/data/db/schema.ts": [
    /^const tenementColumns = \{\n/m,
    "holder_count: integer().notNull().default(0),\n",
  ],
  "src/data/db/source-tables.ts": [
    /$/,
    'export const furtherTable = pgTable("further", { id: integer().primaryKey() })\n',
  ],
  "src/data/resources/rules.ts": [/^export const rules = \{\n/m, "holder_counts: 1,\n"],
  "src/data/resources/tenements.ts": [
    /^ {2}derived: \{\n/m,
    `holder_count: {
      from: ["holder_name"],
      derive: (value) => namedHolders(textValue(value)).length,
      rule: "holder_counts",
      unseen: true,
    },\n`,
  ],
  "src/data/resources/company-name.ts": [/^const legalForms.*\n/m, 'PLC: "LTD",\n'],
}

/**
 * Makes it in an empty directory: it has a further migration with a new table and a new computed column, and a better
 * rule of names. Returns its main file.
 */
export function makeFurtherVersion(directory: string): string {
  const root = Bun.fileURLToPath(programRoot)
  for (const part of ["src", "drizzle", "package.json", "bunfig.toml"]) {
    cpSync(join(root, part), join(directory, part), { recursive: true })
  }
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"))
  const edit = (path: string, pattern: RegExp, change: (found: string) => string) => {
    const file = join(directory, path)
    const text = readFileSync(file, "utf8")
    if (!pattern.test(text)) throw new Error(`${path} has nothing like ${pattern}`)
    writeFileSync(file, text.replace(pattern, change))
  }
  for (const [path, [after, insertion]] of Object.entries(edits)) {
    edit(path, after, (found) => found + insertion)
  }
  edit("src/data/resources/rules.ts", /(?<=\bnames: )\d+/, (number) => String(Number(number) + 1))
  edit("package.json", /(?<="version": ")[^"]+/, () => furtherVersion)
  const { success, stdout, stderr } = Bun.spawnSync(
    [process.execPath, "run", "generate", "holder-counts"],
    { cwd: directory, stdin: "ignore" },
  )
  if (!success) throw new Error(`drizzle-kit generated no migration: ${stdout}${stderr}`)
  return join(directory, "src/main.ts")
}
