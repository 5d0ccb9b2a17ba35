/** The tables that the migrations have made, up to each version of the schema. */

const statementPattern =
  /^(CREATE TABLE|ALTER TABLE|DROP TABLE)(?: IF (?:NOT )?EXISTS)? "(\w+)"(?: RENAME TO "(\w+)")?/gm

/**
 * The names of the tables in schema public after these migrations. A database may have others, which
 * are not the service's and are neither backed up nor replaced.
 */
export function tablesAfter(migrations: readonly { sql: readonly string[] }[]): string[] {
  const tables = new Set<string>()
  for (const { sql } of migrations) {
    for (const [, statement, name = "", renamed] of sql.join("\n").matchAll(statementPattern)) {
      if (statement === "CREATE TABLE") tables.add(name)
      if (statement === "DROP TABLE") tables.delete(name)
      if (renamed !== undefined) {
        tables.delete(name)
        tables.add(renamed)
      }
    }
  }
  return [...tables].sort()
}
