/** What is known of a holder and of a company, for a person who decides whether they belong together. */
import type { TransactionSql } from "postgres"

/** Lines about the holder and the company. */
export async function readLinkFacts(
  sql: TransactionSql,
  holderKey: string,
  asxCode: string,
): Promise<string[]> {
  const [holder] = await sql.unsafe(holderFacts, [holderKey])
  const [company] = await sql.unsafe(companyFacts, [asxCode])
  const lines: [label: string, text: string | null][] = [
    ["holds", holder?.tenements],
    ["granted", holder?.granted],
    ["beside", holder?.others],
    ["company", company?.company],
    ["formerly", company?.former_names],
    ["owns", company?.subsidiaries],
  ]
  return lines.flatMap(([label, text]) => (text ? [`  ${label.padEnd(9)}${text}`] : []))
}

/** The `most` frequent texts of a query with their numbers of rows. */
const frequent = (text: string, from: string, most: number): string => `(
  select string_agg(text || ' ' || count, '; ' order by count desc, text) from (
    select ${text} as text, count(*) from ${from} group by 1 order by 2 desc, 1 limit ${most}
  ) counted)`

const holderFacts = `
  with held as materialized (select * from tenements where $1 = any(holder_keys))
  select
    ${frequent("state || ' ' || coalesce(status, 'unknown') || ' ' || coalesce(type, 'unknown')", "held", 6)} as tenements,
    (select min(grant_date) || ' to ' || max(grant_date) from held) as granted,
    ${frequent("holder_name", "held where cardinality(holder_keys) > 1", 3)} as others`

const firstOf = (column: string, from: string): string =>
  `(select string_agg(name, '; ' order by name) from (select ${column} as name from ${from} order by 1 limit 5) first)`

const companyFacts = `
  select c.asx_code || ', ' || c.company_name || case when c.is_active then ', listed' else ', no longer listed' end
      || coalesce(', ' || c.gics_industry_group, '')
      || coalesce(', A$' || to_char(c.market_cap_aud, 'FM999,999,999,999,999'), '')
      || ', ' || c.total_tenements || ' tenements linked' as company,
    ${firstOf("name", "former_names where asx_code = $1")} as former_names,
    ${firstOf("name", "subsidiaries where parent_asx_code = $1")} as subsidiaries
  from companies c where c.asx_code = $1`
