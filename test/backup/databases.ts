/** Databases to back up and to restore, and what is in them. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { tablesAfter } from "../../src/backup/tables.ts"
import { programMigrations } from "../../src/db/migrate.ts"
import { type CommandOptions, runCommand } from "../commands/command-process.ts"

export const serviceTables = tablesAfter(programMigrations())

/** A digest of all rows of each table, whatever their order, and where its sequences are. */
export async function contentsOf(url: string): Promise<Record<string, string>> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const contents: Record<string, string> = {}
    for (const table of serviceTables) {
      const [row] = await sql.unsafe(
        `select count(*) || ' ' || md5(coalesce(string_agg(t::text, e'\\n' order by t::text collate "C"), '')) as digest from ${table} t`,
      )
      contents[table] = row?.digest
    }
    const sequences = await sql`select sequencename, last_value from pg_sequences
      where schemaname = 'public' order by 1`
    for (const { sequencename, last_value } of sequences) contents[sequencename] = `${last_value}`
    return contents
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Every object of the schema as PostgreSQL describes it, without its rows. */
export async function schemaOf(url: string): Promise<string[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const rows = await sql<{ text: string }[]>`
      select table_name || '.' || column_name || ' ' || data_type || ' ' || coalesce(column_default, '')
          || ' ' || is_nullable || ' ' || coalesce(collation_name, '') as text
        from information_schema.columns where table_schema = 'public'
      union all select indexdef from pg_indexes where schemaname = 'public'
      union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || convalidated
        from pg_constraint where connamespace = 'public'::regnamespace
      union all select pg_get_triggerdef(oid) || tgenabled::text from pg_trigger where not tgisinternal
      union all select pg_get_functiondef(p.oid) from pg_proc p
        where pronamespace = 'public'::regnamespace
          and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
      union all select nspname::text from pg_namespace where nspname !~ '^pg_(toast_)?temp'
      order by 1`
    return rows.map(({ text }) => text)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** A directory for files, and commands on a database. */
export function commandsIn() {
  const directory = mkdtempSync(join(tmpdir(), "mds-backup-"))
  return {
    directory,
    path: (name: string) => join(directory, name),
    mds: (url: string, args: readonly string[], options: Partial<CommandOptions> = {}) =>
      runCommand(args, { url, dataDir: join(directory, "data"), ...options }),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}
