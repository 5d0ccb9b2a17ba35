/** Shared by the tests of loading: a separate database, files of a few rows, and queries. */
import { beforeEach } from "bun:test"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import postgres from "postgres"
import { loadedNames } from "../../../src/data/resources/resource.ts"
import { load } from "../../../src/ingest/loading/load.ts"
import { LoadError } from "../../../src/ingest/loading/load-error.ts"
import type { LoadOptions } from "../../../src/ingest/loading/load-options.ts"
import { afterFile, directoryOfFile } from "../../support/of-file.ts"
import { testDatabase } from "../../support/postgres.ts"
import { sourceOf } from "./readings.ts"

export interface Workbench {
  url: string
  sql: postgres.Sql
  directory: string
  /** Writes a file and returns its path. */
  file: (name: string, content: string | Uint8Array) => string
  /** Loads one file of that content, or the files at those paths. */
  load: (
    source: string,
    content: string | readonly string[],
    options?: Partial<LoadOptions>,
  ) => ReturnType<typeof load>
  /** The message of a refused load. Fails unless the load is rejected. */
  refusal: (...args: Parameters<Workbench["load"]>) => Promise<string>
  /** The rows of the rejects file, which is then deleted. */
  rejects: () => { file: string; line: number; reason: string; row: unknown }[]
  releases: () => Promise<number>
  /** The tenements by id: `E 1 | WA | granted | exploration | A PTY LTD | 2020-01-31 | – | 12.5`. */
  tenements: () => Promise<Record<string, string>>
  /** Loads these companies in place of all, each as `QZA,Quarry Alpha Limited,true`. */
  companies: (...rows: string[]) => ReturnType<typeof load>
  /** Loads a tenement of each of these holders in place of all: t0, t1 and so on. */
  holders: (...names: string[]) => ReturnType<typeof load>
  /** The codes that each tenement is linked to, by its id. */
  linked: () => Promise<Record<string, string>>
  /** The companies whose totals are not those of their lists. */
  companiesOfOtherTotals: () => Promise<string[]>
  empty: () => Promise<void>
}

const tables = [
  ...loadedNames.flatMap((name) => [name, `${name}_history`]),
  ...["releases", "sources", "missing_records", "former_names"],
  ...["link_keys", "suggested_links", "link_decisions", "shape_parts"],
  ...["listings", "directory_days", "successor_decisions"],
]

/** Makes a workbench that is empty before each test. */
export async function benchOfFile(): Promise<Workbench> {
  const bench = await workbench()
  beforeEach(async () => {
    await bench.empty()
    bench.rejects()
  })
  return bench
}

/** Makes a workbench for the tests of a file, and removes it after the last of them. */
export async function workbench(): Promise<Workbench> {
  const database = await testDatabase()
  const sql = postgres(database.url, { max: 2, onnotice: () => {} })
  const directory = directoryOfFile()
  const file = (name: string, content: string | Uint8Array) => {
    const path = join(directory, name)
    writeFileSync(path, content)
    return path
  }
  afterFile(database.drop)
  afterFile(() => sql.end({ timeout: 1 }))
  const run: Workbench["load"] = (source, content, options = {}) =>
    load({
      url: database.url,
      source: sourceOf(source),
      files: typeof content === "string" ? [file("rows.csv", content)] : content,
      ...(options.holderNames !== "companies" && { rejectsDir: directory }),
      ...options,
    })
  return {
    url: database.url,
    sql,
    directory,
    file,
    load: run,
    refusal: async (...args) => {
      const outcome = await run(...args).catch((error: unknown) => error)
      if (outcome instanceof LoadError) return outcome.message
      throw new Error(`Not refused: ${JSON.stringify(outcome)}`, { cause: outcome })
    },
    rejects: () =>
      readdirSync(directory)
        .filter((name) => name.startsWith("rejects-"))
        .flatMap((name) => {
          const path = join(directory, name)
          const lines = readFileSync(path, "utf8").trimEnd().split("\n")
          rmSync(path)
          return lines.map((line) => JSON.parse(line))
        }),
    tenements: async () => {
      const rows = await sql`
        select id, tenement_id, state, status, type, holder_name, grant_date::text,
          expiry_date::text, area_km2 from tenements order by id`
      const lineOf = (row: object) =>
        Object.values(row)
          .map((value) => value ?? "–")
          .join(" | ")
      return Object.fromEntries(rows.map(({ id, ...row }) => [id, lineOf(row)]))
    },
    companies: (...rows) =>
      run("companies", `${["asx_code,company_name,is_active", ...rows].join("\n")}\n`, {
        acceptShrink: true,
      }),
    holders: (...names) => {
      const rows = names.map((name, n) => `t${n},E ${n},WA,"${name}"`)
      const content = `${["id,tenement_id,state,holder_name", ...rows].join("\n")}\n`
      return run("tenements", content, { acceptShrink: true })
    },
    linked: async () => {
      const rows = await sql`select id, asx_codes from tenements order by id`
      return Object.fromEntries(rows.map(({ id, asx_codes }) => [id, asx_codes.join(" ")]))
    },
    companiesOfOtherTotals: async () => {
      const unequal = await sql`
        select asx_code from companies c
        where total_tenements <> (select count(*) from tenements t where c.asx_code = any(t.asx_codes))`
      return unequal.map(({ asx_code }) => asx_code)
    },
    releases: async () => (await sql`select count(*)::integer as count from releases`)[0]?.count,
    empty: async () => {
      // Of a few rows, faster than TRUNCATE, which makes new files for each table and index.
      await sql.unsafe(tables.map((table) => `delete from ${table}`).join(";"))
    },
  }
}
