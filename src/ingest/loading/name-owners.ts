/**
 * The company that each holder's name means.
 *
 * A name with several codes is one company under several listings: its ordinary share, and options, notes
 * or partly paid shares. Its tenements belong to listed codes before delisted ones, then to the shortest
 * (ordinary shares have 3 characters), then to the first in alphabetical order. The others are secondary
 * listings: they have no tenements of their own, and those of their subsidiaries belong to the owner too.
 *
 * A former name means the company that had it, unless another company, a subsidiary or a confirmed holder has
 * the name today, or another company had it as well. A listing whose code begins with the company's, or with the
 * code that the company had then, is no other company: the exchange may rename it later, or never.
 *
 * The names, subsidiaries, confirmed holders and declared tenements of a company that changed its code belong to
 * its successor, as former names.
 */

import { numberKeyOf } from "../../data/reader/links.ts"
import { isEstablished, isSameCompany } from "./listings.ts"

/**
 * A query of (name, key, asx_code, basis): the subsidiaries that loaded lists have, and the holders that
 * operators have confirmed.
 */
export const ownedNames = `
  select name, name_key as key, parent_asx_code as asx_code, 'subsidiary' as basis from subsidiaries
  union all select holder, holder_key, asx_code, 'confirmed' from link_decisions where is_right`

/**
 * Parts of WITH RECURSIVE: each company that an operator decided to have ended, with every code that succeeded
 * it and is that company's today, and the established names of the former, with its last.
 */
export const successors = `decided as (
    select asx_code, listing_date, successor, successor_date from successor_decisions where is_right
    union
    select h.asx_code, h.listing_date, d.successor, d.successor_date
    from decided h join successor_decisions d on d.asx_code = h.successor and d.is_right
      and ${isSameCompany("d.asx_code", "d.listing_date", "h.successor_date")}
  ), successors as (
    select h.asx_code, h.listing_date, h.successor from decided h join companies c on c.asx_code = h.successor
      and ${isSameCompany("c.asx_code", "c.listing_date", "h.successor_date")}
  ), inherited as (
    select h.asx_code, h.successor, l.name_key as key
    from successors h join listings l on l.asx_code = h.asx_code
      and ${isSameCompany("l.asx_code", "l.listing_date", "h.listing_date")}
    where ${isEstablished("l")} or l.last_day = (
      select max(o.last_day) from listings o where (o.asx_code, o.listing_date) = (h.asx_code, h.listing_date))
  )`

/**
 * A query of (key, asx_code, basis, declaration): the companies that each name of a holder means, and those
 * that declare each number of a tenement, by the id of the declared tenement.
 */
export const nameOwners = `
  with recursive ${successors}, owned as (${ownedNames}), current_companies as not materialized (
    select * from companies where successor is null
  ), names as (
    select f.name_key as key, f.asx_code as bearer, c.* from former_names f
      join current_companies c on c.asx_code = f.asx_code
    where f.is_certain
    union all
    select i.key, i.asx_code, c.* from inherited i join current_companies c on c.asx_code = i.successor
  ), former as (
    select distinct key, asx_code, name_key as current_key, is_active, (
        select bool_and(starts_with(n.asx_code, bearer) and n.asx_code <> bearer) from current_companies n
        where n.name_key = names.key
      ) as is_only_of_listings
    from names where key <> name_key
  ), parents as (
    select asx_code as parent, asx_code, name_key from current_companies
    union
    select h.asx_code, c.asx_code, c.name_key
    from successors h join companies p on p.asx_code = h.asx_code
        and ${isSameCompany("p.asx_code", "p.listing_date", "h.listing_date")}
      join current_companies c on c.asx_code = h.successor
  ), owners as (
    select distinct on (key) key, asx_code from (
      select name_key as key, asx_code, is_active from current_companies where name_key <> ''
      union all
      select key, asx_code, is_active from former where is_only_of_listings
    ) names_of_today
    order by key, is_active desc, length(asx_code), asx_code
  ), former_owners as (
    select f.key, min(coalesce(o.asx_code, f.asx_code)) as asx_code
    from former f left join owners o on o.key = f.current_key
    where f.is_only_of_listings is null
      and not exists (select from owned where owned.key = f.key)
    group by f.key having count(distinct coalesce(o.asx_code, f.asx_code)) = 1
  )
  select key, asx_code, 'name' as basis, null as declaration from owners
  union all select key, asx_code, 'name', null from former_owners
  union select s.key, coalesce(o.asx_code, c.asx_code), s.basis, s.declaration
  from (
    select key, asx_code, basis, null as declaration from owned where key <> ''
    union all select ${numberKeyOf("d")}, asx_code, 'declared', id from declared_tenements d
    where reference_key <> ''
  ) s join parents c on c.parent = s.asx_code left join owners o on o.key = c.name_key`
