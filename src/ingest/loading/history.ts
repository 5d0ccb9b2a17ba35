/**
 * Versions that a release supersedes or removes move to the history, in the same statement, with the
 * releases between which they were current. A row that this release has already written is not copied
 * again: no reader ever saw the version in between.
 */
import { getTableColumns, getTableName } from "drizzle-orm"
import type { PgTable } from "drizzle-orm/pg-core"

/**
 * Assignments for an UPDATE that changes records without a row of a file. A record that the same load has
 * read from a file keeps that file. The first parameter of the statement is the new release's number.
 */
export const withoutFile =
  "file = case when since_release = $1::integer then file end, since_release = $1::integer"

/**
 * An INSERT beside the change, in one statement: all its parts see the same rows, so it copies the versions
 * before the change. The first parameter of the statement is the new release's number.
 * @param condition on the table as `t`
 */
export function keepInHistory(table: PgTable, condition: string): string {
  const name = getTableName(table)
  const columns = Object.values(getTableColumns(table)).map((column) => column.name)
  return `insert into ${name}_history (${columns}, until_release)
    select ${columns.map((column) => `t.${column}`)}, $1::integer from ${name} t
    where (${condition}) and t.since_release < $1::integer`
}
