/**
 * What the directory has said: each code with its listing date and name, and the first and the last day of the
 * files that had them. Former names, listing dates, temporary codes and successors are queries on it.
 *
 * The directory has wrong dates and blank names for single days, and lacks companies for a day. So a statement
 * is *established* once files of six days agree, or by its only file where no other is near, as with a file a year.
 * This delays former names and successors. A present name links at once.
 */
import type { Observed } from "./observation.ts"
import type { Staging } from "./staging.ts"

/** The condition that a row of `listings` is established. */
export const isEstablished = (listing: string): string => `(
  ${listing}.last_day - ${listing}.first_day >= 6
  or ${listing}.last_day = ${listing}.first_day and not exists (
    select from directory_days
    where day between ${listing}.first_day - 21 and ${listing}.first_day + 21 and day <> ${listing}.first_day))`

/** The condition that two listing dates of a code are one company's: they share a name. */
export const isSameCompany = (code: string, date: string, other: string): string => `(
  ${date} = ${other} or exists (
    select from listings one join listings two using (asx_code, name_key)
    where one.asx_code = ${code} and one.listing_date = ${date} and two.listing_date = ${other}
      and ${isEstablished("one")} and ${isEstablished("two")}))`

/**
 * Records what the files say of each company, then gives each staged row the listing date of its company: of the
 * dates with its name the established one that was seen last, else the one seen last. A part of the directory is
 * no day of it: what it lacks was not looked for. Days after these files are of their assumed time, which the
 * operator corrects.
 */
export async function recordListings(
  { sql, staged, accepted, load }: Staging,
  { time: observed }: Observed,
): Promise<void> {
  await sql.unsafe(
    `with corrected as (delete from directory_days where day > $1::timestamptz::date)
     update listings set
       first_day = least(first_day, $1::timestamptz::date), last_day = $1::timestamptz::date
     where last_day > $1::timestamptz::date`,
    [observed],
  )
  await sql.unsafe(
    `with today as (
       insert into directory_days select $1::timestamptz::date where not $2 on conflict do nothing
     )
     insert into listings as l (asx_code, listing_date, name_key, company_name, first_day, last_day)
     select asx_code, listing_date, name_key, company_name, $1::timestamptz::date, $1::timestamptz::date
     from ${accepted} s
     on conflict (asx_code, listing_date, name_key) do update set
       first_day = least(l.first_day, excluded.first_day), last_day = greatest(l.last_day, excluded.last_day)`,
    [observed, load.partial === true],
  )
  await sql.unsafe(
    `update ${staged} s set listing_date = (
       select l.listing_date from listings l
       where l.asx_code = s.asx_code and l.name_key = s.name_key and l.listing_date is not null
       order by exists (
           select from listings o
           where o.asx_code = l.asx_code and o.listing_date = l.listing_date and ${isEstablished("o")}
         ) desc, l.last_day desc, l.listing_date = s.listing_date desc nulls last
       limit 1)`,
  )
}
