/**
 * Links tenements to companies. A tenement belongs to every company that holds it under a present or
 * former name of its own, or under that of a subsidiary or a confirmed holder: see
 * `name-owners.ts`. Names are compared by their normalised keys; the empty key links nothing. A company that
 * declares a tenement is linked to every tenement of the state with that number, whoever holds it.
 *
 * `tenements.asx_codes` and `companies.total_tenements` follow from these tables alone, so each load
 * that changes one of them computes them again in its transaction. It writes only rows whose links
 * changed, with its release.
 */
import type { TransactionSql } from "postgres"
import { withSnapshot } from "../../data/db/connection.ts"
import { companiesTable, tenementsTable } from "../../data/db/schema.ts"
import { knownGroup, linkedByReason, linkKeysOf } from "../../data/reader/links.ts"
import type { LinkedShares } from "../../data/reader/source-loads.ts"
import type { Resource } from "../../data/resources/resource.ts"
import type { LinkFigures } from "./figures.ts"
import { keepInHistory, withoutFile } from "./history.ts"
import { nameOwners } from "./name-owners.ts"
import type { Progress } from "./progress.ts"
import { storeSuggestions } from "./suggested-companies.ts"

/**
 * The columns of a resource's new records that follow from links, as expressions over the staged
 * row `s`. So each row is written once: writing a million rows twice takes half as long again and
 * leaves a table twice its size. The links are those of the last release, which `relink` corrects.
 */
export const linkColumns = ({ links }: Resource): Record<string, string> =>
  links === "holders"
    ? {
        asx_codes: `array(
          select distinct n.asx_code from link_keys n where n.key = any(${linkKeysOf("s")}) order by 1)`,
      }
    : {}

/** The shares at the newest release. */
export const readLinkedShares = (url: string): Promise<LinkedShares> =>
  withSnapshot(url, async (sql) => {
    const [row] = await sql.unsafe<[{ shares: LinkedShares }]>(`select (${linkedShares}) as shares`)
    return row.shares
  })

/** Links the records again after a change of a resource; null if links do not depend on the resource. */
export async function relink(
  sql: TransactionSql,
  release: number,
  { links }: Resource,
  progress: Progress,
): Promise<LinkFigures | null> {
  if (links === undefined) return null
  progress.step("Linking tenements to companies")
  await sql.unsafe("delete from link_keys")
  await sql.unsafe(`insert into link_keys (key, asx_code, basis, declaration) ${nameOwners}`)
  await sql.unsafe("analyze link_keys")
  await sql.unsafe(findLinks)
  await sql.unsafe("analyze links")
  const { count: tenements } = await sql.unsafe(linkTenements, [release])
  const { count: companies } = await sql.unsafe(totalCompanies, [release])
  await storeSuggestions(sql)
  const [counts] = await sql.unsafe<[Omit<LinkFigures, "changed" | "known_groups">]>(countLinks)
  const [groups] = await sql.unsafe<[{ further: number }]>(linkedByReason, [knownGroup])
  return {
    ...counts,
    known_groups: groups.further,
    changed: { tenements, companies },
  }
}

const findLinks = `
  create temporary table links on commit drop as
  select t.id,
    array_agg(distinct n.asx_code order by n.asx_code)::text[] as asx_codes,
    bool_or(n.basis = 'name') as is_direct,
    bool_or(n.basis in ('subsidiary', 'confirmed')) as is_through_subsidiary,
    bool_or(n.basis = 'declared') as is_declared
  from tenements t cross join lateral unnest(${linkKeysOf("t")}) as holder (key)
    join link_keys n on n.key = holder.key
  group by t.id`

/** This and the next statement count what they keep: records that the load itself did not change. */
const linkTenements = `
  with relinked as materialized (
    select t.id, coalesce(l.asx_codes, '{}') as asx_codes
    from tenements t left join links l on l.id = t.id
    where t.asx_codes <> coalesce(l.asx_codes, '{}')
  ), linked as (
    update tenements t set asx_codes = relinked.asx_codes, ${withoutFile}
    from relinked where t.id = relinked.id
  ) ${keepInHistory(tenementsTable, "t.id in (select id from relinked)")}`

const totalCompanies = `
  with totals as (
    select code, count(*)::integer as total from links, unnest(asx_codes) as code group by code
  ), retotalled as materialized (
    select c.asx_code, coalesce(totals.total, 0) as total
    from companies c left join totals on totals.code = c.asx_code
    where c.total_tenements <> coalesce(totals.total, 0)
  ), totalled as (
    update companies c set total_tenements = retotalled.total, ${withoutFile}
    from retotalled where c.asx_code = retotalled.asx_code
  ) ${keepInHistory(companiesTable, "t.asx_code in (select asx_code from retotalled)")}`

/** A tenement with a linked company has a company among its holders. */
const linkedShares = `
  select coalesce(json_object_agg(state, shares), '{}') from (
    select state, json_build_object('tenements', count(*),
      'of_companies', count(*) filter (where has_company or asx_codes <> '{}'),
      'linked', count(*) filter (where asx_codes <> '{}')) as shares
    from tenements group by state) states`

const countLinks = `
  select count(*)::integer as linked,
    count(*) filter (where is_direct)::integer as directly,
    count(*) filter (where is_through_subsidiary)::integer as through_subsidiaries,
    count(*) filter (where is_declared)::integer as declared,
    (select json_build_object('rows', count(*),
        'unmatched', count(*) filter (where matches = 0), 'ambiguous', count(*) filter (where matches > 1))
      from (select count(t.id) as matches
        from declared_tenements d left join tenements t
          on t.state = d.state and t.reference_key = d.reference_key and d.reference_key <> ''
        group by d.id) counted) as declarations,
    (${linkedShares}) as by_state,
    (select count(*) from tenements where asx_codes = '{}' and holder_keys <> '{}')::integer as unlinked,
    (select count(distinct holder.key) from tenements, unnest(holder_keys) as holder (key)
      where not exists (select from link_keys n where n.key = holder.key))::integer as unlinked_holders
  from links`
