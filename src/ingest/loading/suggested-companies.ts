/**
 * Suggestions for the unlinked holders. Each load that may change links stores them; readers skip those
 * that operators have decided since.
 */
import type { TransactionSql } from "postgres"
import { withSnapshot } from "../../data/db/connection.ts"
import { additions, undecided } from "../../data/reader/links.ts"
import { knownCompany, knownGroupMembers } from "./known-groups.ts"
import { ownedNames } from "./name-owners.ts"
import { type Company, type KnownName, type Reason, suggestCompanies } from "./suggestions.ts"
import { unlinkedHolders } from "./unlinked.ts"

/** A suggestion, by the columns of a file that a person completes: see `suggestedColumns`. */
export type ListedSuggestion = {
  tenements: number
  /** Of the holder. */
  name: string
  suggested_asx_code: string
  suggested_company: string
  suggested_is_active: boolean
  reason: Reason
  similar_name: string
}

/** For the newest release, most tenements first, without those that are decided. */
export const readSuggestions = (url: string): Promise<ListedSuggestion[]> =>
  withSnapshot(url, (sql) =>
    sql.unsafe<ListedSuggestion[]>(
      `select (suggestion #> '{holder,tenements}')::integer as tenements, holder as name,
         asx_code as suggested_asx_code, suggestion #>> '{company,company_name}' as suggested_company,
         (suggestion #> '{company,is_active}')::boolean as suggested_is_active,
         suggestion ->> 'reason' as reason, suggestion ->> 'similarName' as similar_name
       from (${undecided}) s order by position`,
    ),
  )

/** All holders that one reason gives one company. */
export interface SuggestionGroup {
  reason: Reason
  company: Company
  /** Each with the number of tenements that a link of it would add to the company. */
  holders: { key: string; name: string; tenements: number; similar_name: string }[]
  /** How many tenements the links of all of them would add. */
  tenements: number
}

/** The suggestions of the newest release that would add tenements, in groups, those that add most first. */
export const readSuggestionGroups = (url: string): Promise<SuggestionGroup[]> =>
  withSnapshot(url, (sql) =>
    sql.unsafe<SuggestionGroup[]>(
      `with suggested as materialized (${additions}), added as (
         select asx_code, reason, count(distinct id)::integer as tenements
         from suggested, unnest(ids) id group by 1, 2
       )
       select reason, (array_agg(suggestion -> 'company'))[1] as company,
         json_agg(json_build_object(
           'key', holder_key, 'name', holder, 'tenements', cardinality(ids),
           'similar_name', suggestion -> 'similarName') order by position) as holders,
         added.tenements
       from suggested join added using (asx_code, reason)
       group by asx_code, reason, added.tenements order by tenements desc, min(position)`,
    ),
  )

/** Stores suggestions for the holders that the transaction leaves unlinked. */
export async function storeSuggestions(sql: TransactionSql): Promise<void> {
  const suggestions = suggestCompanies(
    await unlinkedHolders(sql),
    await knownNames(sql),
    await knownGroupMembers(sql),
  )
  await sql.unsafe("delete from suggested_links")
  await sql.unsafe(
    `insert into suggested_links (position, holder_key, holder, asx_code, suggestion)
     select position, s #>> '{holder,key}', s #>> '{holder,name}', s #>> '{company,asx_code}', s
     from jsonb_array_elements($1::text::jsonb) with ordinality as suggested (s, position)`,
    [JSON.stringify(suggestions)],
  )
}

/**
 * The names of companies, subsidiaries and confirmed holders. A secondary listing has no tenements of its own:
 * its company is the owner of its name.
 */
const knownNames = (sql: TransactionSql): Promise<KnownName[]> =>
  sql.unsafe<KnownName[]>(
    `select n.name, n.key, n.is_former as "isFormer", ${knownCompany("c")} as company
     from (
       select company_name as name, name_key as key, asx_code, false as is_former from companies
       union all select name, name_key, asx_code, true from former_names
       union all select name, key, asx_code, false from (${ownedNames}) owned
     ) n join companies l on l.asx_code = n.asx_code
       left join link_keys o on o.key = l.name_key and o.basis = 'name'
       join companies c on c.asx_code = coalesce(o.asx_code, l.asx_code)`,
  )
