/** The parts of a database that a version of the program brings up to date: its migrations, and the rules of its records. */
import { readMigrationFiles } from "drizzle-orm/migrator"
import type { Sql, TransactionSql } from "postgres"
import { programRoot, version } from "../../program.ts"
import { rules } from "../resources/rules.ts"
import { isForbidden } from "./database-errors.ts"
import { DatabaseError } from "./first-connection.ts"

export interface Pending {
  /** The version of the program that last changed the schema; null for an empty database. */
  version: string | null
  /** The missing migrations, with their numbers, in order. */
  migrations: { number: number; sql: string[]; hash: string; folderMillis: number }[]
  /** The rules that are newer than those of the records. */
  rules: string[]
}

interface Applied {
  hash: string
  version: string
}

/** Whether the database is of this version. */
export const isUpToDate = ({ migrations, rules }: Pending): boolean =>
  migrations.length + rules.length === 0

/** @throws DatabaseError if a version with other migrations or later rules has changed the database */
export async function pendingOf(client: Sql | TransactionSql): Promise<Pending> {
  const applied = await appliedMigrations(client)
  const known = readMigrationFiles({
    migrationsFolder: Bun.fileURLToPath(new URL("drizzle", programRoot)),
  }).map((migration, number) => ({ ...migration, number }))
  const other = applied.findLast(({ hash }, index) => hash !== known[index]?.hash)
  if (other) throw writtenBy(other.version)
  return {
    version: applied.at(-1)?.version ?? null,
    migrations: known.slice(applied.length),
    rules: applied.length === 0 ? [] : await outdatedRules(client),
  }
}

async function appliedMigrations(client: Sql | TransactionSql): Promise<Applied[]> {
  try {
    // The result of to_regclass may be stale after the wait for a lock.
    const [found] = await client`select from pg_tables
      where schemaname = 'drizzle' and tablename = '__drizzle_migrations'`
    if (!found) return []
    // The table of a version before 1.0 has no versions.
    return await client<Applied[]>`
      select hash, coalesce(to_jsonb(m) ->> 'version', 'before 1.0') as version
      from drizzle.__drizzle_migrations m order by created_at, id`
  } catch (error) {
    if (!isForbidden(error)) throw error
    throw new DatabaseError(
      `Cannot read the database's schema version: ${error.message}. ` +
        "Grant this role USAGE on schema drizzle and SELECT on its tables",
    )
  }
}

/** @throws DatabaseError if the records follow later rules */
async function outdatedRules(client: Sql | TransactionSql): Promise<string[]> {
  const applied = await client<{ name: string; number: number; version: string }[]>`
    select name, number, version from rules`
  const own = new Map<string, number>(Object.entries(rules))
  const later = applied.find(({ name, number }) => number > (own.get(name) ?? 0))
  if (later) throw writtenBy(later.version)
  const isApplied = (name: string, number: number) =>
    applied.some((rule) => rule.name === name && rule.number === number)
  return [...own].filter(([name, number]) => !isApplied(name, number)).map(([name]) => name)
}

const writtenBy = (other: string) =>
  new DatabaseError(
    `This database was written by version ${other} of the program, and this is version ${version}: ` +
      `run version ${other}, or restore the backup from before the upgrade`,
  )

/**
 * For a transaction that computes values by the program's rules.
 * @throws DatabaseError if the records follow others, as while two versions run beside each other
 */
export async function checkRules(sql: TransactionSql): Promise<void> {
  const outdated = await outdatedRules(sql)
  if (outdated.length > 0) throw ofEarlierVersion()
}

export const ofEarlierVersion = () =>
  new DatabaseError("The database is of an earlier version. Run `mds migrate` first")

/** Records that the values of the records follow the program's rules. */
export async function recordRules(sql: TransactionSql): Promise<void> {
  for (const [name, number] of Object.entries(rules)) {
    await sql`insert into rules (name, number, version) values (${name}, ${number}, ${version})
      on conflict (name) do update set number = excluded.number, version = excluded.version
      where rules.number <> excluded.number`
  }
}
