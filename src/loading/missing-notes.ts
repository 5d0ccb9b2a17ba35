/**
 * Matches the rows of a load with the records that earlier loads noted as missing. A row proves that its
 * record exists also where the row is rejected or the load is refused: a truncated file lacks records, but
 * the records that it has are true. So a refused load deletes notes, and makes none.
 */
import type { Sql, TransactionSql } from "postgres"
import type { Source } from "../sources/source.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import type { Staging } from "./staging.ts"

export class MissingNotes {
  /** The keys of noted records that match the rows, certainly or possibly. */
  seen: string[] = []
  #unseen = new Map<string, string[]>()

  constructor(readonly source: Source) {}

  /** Reads the notes before the load. */
  async read(sql: TransactionSql): Promise<void> {
    const { name, resource } = this.source
    const noted = await sql<{ key: string }[]>`
      select key from missing_records where source = ${name} and resource = ${resource.name}`
    this.#unseen = Map.groupBy(
      noted.map(({ key }) => key),
      (key) => key,
    )
  }

  /** @param key of a row, as its source maps it */
  see(key: string): void {
    // Mostly nothing is missing.
    if (this.#unseen.size === 0) return
    this.seen.push(...(this.#unseen.get(key) ?? []))
    this.#unseen.delete(key)
  }

  /**
   * Narrows them to the records that the rows are. Call it once all rows have their ids: before, a row may
   * be any record of its reference, as a rejected row still may.
   */
  async settle({ sql, staged, key }: Staging, rejectedKeys: readonly string[]): Promise<void> {
    if (this.seen.length === 0) return
    const rows = await sql.unsafe<{ key: string }[]>(
      `select seen.key from unnest($1::text[]) as seen (key)
       where seen.key = any($2::text[]) or exists (select from ${staged} s where s.${key} = seen.key)`,
      [arrayLiteral(this.seen), arrayLiteral(rejectedKeys)],
    )
    this.seen = rows.map((row) => row.key)
  }

  /**
   * Deletes the notes of records that the rows showed, and returns how many.
   * @param observed when the files of the load were true; undefined for now
   */
  async delete(sql: Sql | TransactionSql, observed: string | undefined): Promise<number> {
    const { name, resource } = this.source
    // Another load of newer files may have ended since.
    const { count } = await sql.unsafe(
      `delete from missing_records where source = $1 and resource = $2 and key = any($3::text[])
         and last_missing_at <= coalesce($4::timestamptz, now())`,
      [name, resource.name, arrayLiteral(this.seen), observed ?? null],
    )
    return count
  }
}
