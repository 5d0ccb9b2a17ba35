/** Puts tables of another schema, with their functions, in the place of those in schema public. */
import type { TransactionSql } from "postgres"
import { isLockFailure, lockBriefly } from "../db/short-locks.ts"
import type { Progress } from "../loading/progress.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import { BackupError } from "./backup-error.ts"
import { applyOwnership, readOwnership } from "./ownership.ts"
import { quoted } from "./table-text.ts"

export interface Exchange {
  /** The schema, which is dropped. */
  from: string
  tables: readonly string[]
  progress: Progress
  /** Called once nobody else can use the tables in schema public. */
  onLocked: () => Promise<void>
}

const lockLimitMs = 120_000

/** What statements use beside another table, in which order they do. */
const usedLast = ["accounts", "access_changes", "releases"]

/** In the order in which statements lock them too: none then has to wait for the other in return. */
const inLockOrder = (tables: readonly string[]): string[] => [
  ...tables.filter((table) => !usedLast.includes(table)),
  ...usedLast.filter((table) => tables.includes(table)),
]

/** The tables keep their owners, and roles what they were granted. */
export async function exchangeTables(
  sql: TransactionSql,
  { from, tables, progress, onLocked }: Exchange,
): Promise<void> {
  const names = inLockOrder(tables).map((table) => `public.${quoted(table)}`)
  progress.step("Replacing the tables")
  await lockBriefly(sql, lockLimitMs, (tx) =>
    tx.unsafe(`lock table ${names} in access exclusive mode`),
  ).catch((error) => {
    if (!isLockFailure(error)) throw error
    throw new BackupError(
      `Cannot replace the tables: other sessions have been using them for ${lockLimitMs / 1000} seconds. ` +
        "Nothing was changed. Wait until those have ended, or end them, then try again",
    )
  })
  await onLocked()
  const functions = await sql<{ name: string }[]>`
    select distinct tgfoid::regprocedure::text as name from pg_trigger
    where tgrelid = any(${arrayLiteral(names)}::regclass[]) and not tgisinternal`
  const ownership = await readOwnership(sql, tables)
  await sql.unsafe(`drop table ${names}`)
  for (const { name } of functions) await sql.unsafe(`drop function ${name}`)

  for (const table of tables) {
    await sql.unsafe(`alter table ${quoted(from)}.${quoted(table)} set schema public`)
  }
  const moved = await sql<{ name: string }[]>`
    select oid::regprocedure::text as name from pg_proc
    where pronamespace = ${from}::regnamespace`
  for (const { name } of moved) await sql.unsafe(`alter function ${name} set schema public`)
  await sql.unsafe(`drop schema ${quoted(from)}`)
  await applyOwnership(sql, tables, ownership)
}
