/**
 * Former names of companies. Registers list the tenements of a renamed company under its old name, often
 * for years. A code may have been another company's before: its names of then are stored as uncertain, and
 * make suggestions only.
 */
import { asxDirectory } from "../sources/asx-directory.ts"
import { isEstablished } from "./listings.ts"
import type { Staging } from "./staging.ts"

/** Returns how many names it adds, changes or removes. */
export async function recordFormerNames({
  sql,
  source,
  resource,
  release,
}: Staging): Promise<number> {
  if (resource.name !== "companies") return 0
  const [recorded] =
    source === asxDirectory.name
      ? await sql.unsafe<[{ names: number }]>(recordNamesOfListings, [source])
      : await sql.unsafe<[{ names: number }]>(recordRenames, [release])
  return recorded.names
}

/**
 * Names in the directory. Certain are those established under the listing date of the company, or under another
 * date that shares a name with it.
 */
const recordNamesOfListings = `
  with recursive listed as materialized (
    select l.*, c.name_key as present_key, c.listing_date as present_date, ${isEstablished("l")} as is_established
    from listings l join companies c on c.asx_code = l.asx_code where c.source = $1
  ), same_company as (
    select distinct asx_code, present_date as listing_date from listed
    union
    select o.asx_code, o.listing_date
    from same_company s join listed l on (l.asx_code, l.listing_date) = (s.asx_code, s.listing_date)
      join listed o on (o.asx_code, o.name_key) = (l.asx_code, l.name_key)
    where l.is_established and o.is_established
  ), names as materialized (
    select l.asx_code, l.name_key, (array_agg(l.company_name order by l.last_day desc))[1] as name,
      bool_or(l.is_established and s.asx_code is not null) as is_certain
    from listed l
      left join same_company s on (s.asx_code, s.listing_date) = (l.asx_code, l.listing_date)
    -- A company whose name the exchange has left blank has its code instead.
    where l.name_key not in ('', l.present_key) and l.company_name <> l.asx_code
    group by 1, 2
  ), ended as (
    delete from former_names f using companies c
    where c.asx_code = f.asx_code and c.source = $1
      and not exists (select from names n where (n.asx_code, n.name_key) = (f.asx_code, f.name_key))
    returning 1
  ), stored as (
    insert into former_names as f (asx_code, name, name_key, is_certain)
    select asx_code, name, name_key, is_certain from names
    on conflict (asx_code, name_key) do update set is_certain = excluded.is_certain
    where f.is_certain <> excluded.is_certain returning 1
  )
  select count(*)::integer as names from (select * from ended union all select * from stored) changed`

/** In an operator's own file. A code that was inactive leaves its earlier names behind. */
const recordRenames = `
  with renamed as (
    select h.asx_code, h.company_name, h.name_key, h.is_active
    from companies_history h join companies c on c.asx_code = h.asx_code
    where h.until_release = $1 and h.name_key not in ('', c.name_key)
  ), left_behind as (
    update former_names f set is_certain = false from renamed r
    where f.asx_code = r.asx_code and f.name_key <> r.name_key and not r.is_active
  ), stored as (
    insert into former_names (asx_code, name, name_key, is_certain)
    select asx_code, company_name, name_key, is_active from renamed
    on conflict (asx_code, name_key) do update set name = excluded.name, is_certain = excluded.is_certain
    returning 1
  )
  select count(*)::integer as names from stored`
