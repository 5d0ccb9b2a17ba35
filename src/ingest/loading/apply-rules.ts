/**
 * Computes the values of the current records again whose rules are newer than those of the database, in one
 * transaction and one release. Past versions keep their values, so no release changes.
 */
import type { TransactionSql } from "postgres"
import { withSnapshot } from "../../data/db/connection.ts"
import { pendingOf, recordRules } from "../../data/db/pending.ts"
import { loadedResources } from "../../data/resources/catalogue.ts"
import { normaliseName } from "../../data/resources/company-name.ts"
import type { Resource, ResourceName } from "../../data/resources/resource.ts"
import { tenements } from "../../data/resources/tenements.ts"
import { formatCount } from "../../system/text/display.ts"
import { deriveAgain } from "./derive-again.ts"
import { type ChangeFigures, noChanges } from "./figures.ts"
import { keepInHistory } from "./history.ts"
import type { Progress } from "./progress.ts"
import { publishChange } from "./publishing.ts"

const whenUnknown =
  "It is not known whether the release was published. Run `mds migrate` again: it computes what remains."

const rowsPerReport = 100_000

/** The columns of a resource that follow these rules. */
const columnsOf = ({ derived }: Resource, rules: readonly string[]) =>
  Object.entries(derived).filter(([, { rule }]) => rule !== undefined && rules.includes(rule))

/** The number of records whose values follow these rules, by resource. */
export const recordsOf = (url: string, rules: readonly string[]) =>
  withSnapshot(url, async (sql) => {
    const counts: [ResourceName, number][] = []
    for (const resource of loadedResources) {
      if (columnsOf(resource, rules).length === 0) continue
      const [{ count }] = await sql.unsafe<[{ count: number }]>(
        `select count(*)::integer as count from ${resource.name}`,
      )
      counts.push([resource.name, count])
    }
    return counts
  })

/** Publishes the values of the program's rules, and the links that follow; returns as `publishChange`. */
export function applyRules(url: string, progress: Progress) {
  let rules: string[] = []
  return publishChange(url, {
    ...{ whenUnknown, progress, source: "migration" },
    check: async (sql) => {
      rules = (await pendingOf(sql)).rules
      await recordRules(sql)
    },
    change: async (sql, release) => {
      if (rules.includes("names")) await mergeNames(sql)
      const changed: Partial<Record<ResourceName, ChangeFigures>> = {}
      for (const resource of loadedResources) {
        const count = await deriveRecords(sql, release, resource, rules, progress)
        if (count > 0) changed[resource.name] = { ...noChanges, changed: count }
      }
      const { tenements: changes = noChanges, ...others } = changed
      return { resource: tenements, changes, others }
    },
  })
}

/** Returns how many records have a new version. A column that no response shows changes in place. */
async function deriveRecords(
  sql: TransactionSql,
  release: number,
  resource: Resource,
  rules: readonly string[],
  progress: Progress,
): Promise<number> {
  const columns = columnsOf(resource, rules)
  if (columns.length === 0) return 0
  const { name, key, table } = resource
  progress.step(`Computing values of ${name}`)
  let rows = 0
  const derived = await deriveAgain(sql, {
    resource,
    columns,
    expressionOf: (column) => column,
    from: name,
    onBatch: (count) => {
      rows += count
      if (rows % rowsPerReport === 0) progress.step(`Computed ${formatCount(rows)} ${name}`)
    },
  })
  const differs = (of: typeof columns) =>
    of.map(([column]) => `t.${column} is distinct from d.${column}`).join(" or ") || "false"
  const seen = columns.filter(([, { unseen }]) => !unseen)
  const [{ count }] = await sql.unsafe<[{ count: number }]>(
    `with differing as materialized (
       select d.*, ${differs(seen)} as is_seen from ${name} t join ${derived} d using (${key})
       where ${differs(columns)}
     ), kept as (
       ${keepInHistory(table, `t.${key} in (select ${key} from differing where is_seen)`)}
     ), changed as (
       update ${name} t set ${columns.map(([column]) => `${column} = d.${column}`)},
         file = case when not is_seen then file end,
         since_release = case when is_seen then $1::integer else since_release end
       from differing d where d.${key} = t.${key} returning is_seen
     )
     select count(*) filter (where is_seen)::integer as count from changed`,
    [release],
  )
  return count
}

/**
 * Computes the keys of the names that belong to no release. Rows that get the same key become one: a declined link
 * stays declined.
 */
async function mergeNames(sql: TransactionSql): Promise<void> {
  const names = await sql.unsafe<{ name: string }[]>(
    `select company_name as name from listings union select name from former_names
     union select holder from link_decisions`,
  )
  await sql.unsafe(
    `create temporary table name_keys on commit drop as
     select * from jsonb_to_recordset($1::text::jsonb) as named (name text, key text)`,
    [JSON.stringify(names.map(({ name }) => ({ name, key: normaliseName(name) })))],
  )
  for (const [table, { columns, merged }] of Object.entries(named)) {
    await sql.unsafe(`create temporary table merged_${table} on commit drop as ${merged}`)
    await sql.unsafe(`delete from ${table}`)
    await sql.unsafe(`insert into ${table} (${columns}) select * from merged_${table}`)
  }
}

const named = {
  listings: {
    columns: "asx_code, listing_date, name_key, company_name, first_day, last_day",
    merged: `select asx_code, listing_date, key, (array_agg(company_name order by last_day desc, company_name))[1],
        min(first_day), max(last_day)
      from listings join name_keys on name = company_name group by 1, 2, 3`,
  },
  former_names: {
    columns: "asx_code, name, name_key, is_certain",
    merged: `select asx_code, (array_agg(name order by is_certain desc, name))[1], key, bool_or(is_certain)
      from former_names join name_keys using (name) group by asx_code, key`,
  },
  link_decisions: {
    columns: "holder_key, holder, asx_code, is_right",
    merged: `select key, min(holder), asx_code, bool_and(is_right)
      from link_decisions join name_keys on name = holder group by key, asx_code`,
  },
}
