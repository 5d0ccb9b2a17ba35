/**
 * What an archive has. Its definitions are the migrations, so that pg_restore makes the same schema.
 * Triggers are off for the data, which would otherwise be audited as changes.
 */
import type { TransactionSql } from "postgres"
import { programMigrations } from "../db/migrate.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import { type Entry, sections, sequenceSet, tableData } from "./archive.ts"
import { type Column, quoted } from "./table-text.ts"
import { tablesAfter } from "./tables.ts"

export interface Table {
  schema: string
  name: string
  columns: readonly Column[]
  /** Names of the tables that it references. */
  references: readonly string[]
}

export interface Contents {
  entries: readonly Entry[]
  /** The table of each entry with data, by the entry's id. */
  tables: ReadonlyMap<number, Table>
}

/** Where drizzle-kit records the migrations. */
export const migrationsTable = { schema: "drizzle", name: "__drizzle_migrations" } as const

const migrationsDefinition = `CREATE SCHEMA IF NOT EXISTS drizzle;
CREATE TABLE IF NOT EXISTS drizzle.__drizzle_migrations (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint);
`

/** @param schemaVersion of the database */
export async function contentsOf(sql: TransactionSql, schemaVersion: number): Promise<Contents> {
  const migrations = programMigrations().slice(0, schemaVersion)
  const tables = referencedFirst(await tablesIn(sql, tablesAfter(migrations)))
  const entries: Entry[] = []
  const add = (entry: Partial<Entry> & Pick<Entry, "kind" | "name">): number => {
    const id = entries.length + 1
    entries.push({ ...definition, ...entry, id })
    return id
  }
  const ownTables = tables.filter(({ schema }) => schema === "public")
  const switchTriggers = (how: "DISABLE" | "ENABLE") =>
    ownTables.map(({ name }) => `ALTER TABLE ${quoted(name)} ${how} TRIGGER USER;\n`).join("")

  add({ kind: "MIGRATIONS", name: "schema drizzle", definition: migrationsDefinition })
  for (const [index, { sql: statements }] of migrations.entries()) {
    add({ kind: "MIGRATION", name: String(index + 1), definition: statements.join("") })
  }
  add({ kind: "TRIGGERS", name: "off", definition: switchTriggers("DISABLE") })
  const ids = new Map<string, number>()
  for (const { schema, name, columns, references } of tables) {
    const id = add({
      kind: tableData,
      schema,
      name,
      section: sections.data,
      copy: `COPY ${quoted(schema)}.${quoted(name)} (${columns.map((each) => quoted(each.name)).join(", ")}) FROM stdin;\n`,
      hasData: true,
      dependencies: references.flatMap((referenced) => ids.get(referenced) ?? []),
    })
    ids.set(name, id)
  }
  for (const { schema, name, value } of await sequencesOf(sql, tables)) {
    add({
      kind: sequenceSet,
      schema,
      name,
      section: sections.data,
      definition: `SELECT pg_catalog.setval('${schema}.${name}', ${value});\n`,
    })
  }
  add({
    kind: "TRIGGERS",
    name: "on",
    section: sections.postData,
    definition: switchTriggers("ENABLE"),
  })
  return { entries, tables: new Map(tables.map((table) => [ids.get(table.name) ?? 0, table])) }
}

const definition: Omit<Entry, "kind" | "name"> = {
  id: 0,
  schema: "public",
  section: sections.preData,
  definition: "",
  copy: "",
  hasData: false,
  dependencies: [],
}

/** Those with these names, and the one of the migrations. */
function tablesIn(sql: TransactionSql, names: readonly string[]): Promise<Table[]> {
  return sql<Table[]>`
    select n.nspname as schema, c.relname as name,
      (select json_agg(json_build_object('name', a.attname, 'type', t.typname) order by a.attnum)
        from pg_attribute a join pg_type t on t.oid = a.atttypid
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      ) as columns,
      (select coalesce(json_agg(distinct referenced.relname), '[]')
        from pg_constraint f join pg_class referenced on referenced.oid = f.confrelid
        where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as references
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r'
      and ((n.nspname = 'public' and c.relname = any(${arrayLiteral(names)}::text[]))
        or (n.nspname = ${migrationsTable.schema} and c.relname = ${migrationsTable.name}))
    order by n.nspname, c.relname`
}

/** So that every foreign key finds its row. */
function referencedFirst(tables: readonly Table[]): Table[] {
  const byName = new Map(tables.map((table) => [table.name, table]))
  const ordered = new Set<Table>()
  const visit = (table: Table): void => {
    if (ordered.has(table)) return
    for (const name of table.references) {
      const referenced = byName.get(name)
      if (referenced) visit(referenced)
    }
    ordered.add(table)
  }
  for (const table of tables) visit(table)
  return [...ordered]
}

/** They are read after the snapshot was taken, so that none is behind its table's rows. */
async function sequencesOf(sql: TransactionSql, tables: readonly Table[]) {
  const owned = await sql<{ schema: string; name: string }[]>`
    select n.nspname as schema, s.relname as name
    from pg_class s join pg_namespace n on n.oid = s.relnamespace
      join pg_depend d on d.objid = s.oid and d.classid = 'pg_class'::regclass
        and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i')
      join pg_class c on c.oid = d.refobjid
      join pg_namespace cn on cn.oid = c.relnamespace
    where s.relkind = 'S' and cn.nspname || '.' || c.relname = any(${arrayLiteral(tables.map(({ schema, name }) => `${schema}.${name}`))}::text[])
    order by 1, 2`
  const sequences: { schema: string; name: string; value: string }[] = []
  for (const { schema, name } of owned) {
    const [row] = await sql.unsafe(
      `select last_value || ', ' || is_called as value from ${quoted(schema)}.${quoted(name)}`,
    )
    sequences.push({ schema, name, value: row?.value })
  }
  return sequences
}
