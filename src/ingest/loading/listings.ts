/**
 * Companies that changed their code. A company keeps its listing date when its code changes, so a listing
 * that ended and one that appeared within seven days, with the same date, may be one company. Where they
 * share a name, the later one is its successor; otherwise an operator decides.
 *
 * A listing is a code with its listing date. The directory has wrong dates and names for single days, and
 * lacks companies for a day. So an appearance, an ending or a name counts only once two files at least six
 * days apart agree on it, and all files between them; it began with the first of these. A listing that ended
 * counts by a single file too if the next one is that much later: with a file a year, no other has it.
 */
import type { TransactionSql } from "postgres"
import { companiesTable } from "../../data/db/schema.ts"
import { keepInHistory, withoutFile } from "./history.ts"
import type { Observed } from "./observation.ts"
import type { Staging } from "./staging.ts"

/** Companies of the last files. A row without a date says nothing of the date. */
const isListed = `c.is_active and not exists (
  select from missing_records m
  where m.source = c.source and m.resource = 'companies' and m.key = c.asx_code)`

/** Enough for the exchange to correct itself, and less than the week between weekly files. */
const agreement = "interval '6 days'"

/**
 * Records which listings the directory has, and links successors. Must run after `recordFormerNames`. Returns
 * how many records of companies that changes.
 */
export async function recordDirectory(
  { sql, source, release }: Staging,
  { time: observed }: Observed,
): Promise<number> {
  const agreedSince = (since: string) => `${since} <= $1::timestamptz - ${agreement}`
  await sql.unsafe(
    `insert into listings as l (asx_code, listing_date, company_name, name_keys,
       is_listed, run_since, last_key, last_key_since)
     select c.asx_code, c.listing_date, c.company_name, array(
         select c.name_key where c.name_key <> '' union
         select f.name_key from former_names f where f.asx_code = c.asx_code and f.is_certain
         order by 1), true, $1, c.name_key, $1
     from companies c where c.source = $2 and c.listing_date is not null and ${isListed}
     on conflict (asx_code, listing_date) do update set
       company_name = excluded.company_name, name_keys = excluded.name_keys, is_listed = true,
       run_since = case when l.is_listed then l.run_since else $1::timestamptz end,
       last_key = excluded.last_key,
       last_key_since = case when l.last_key = excluded.last_key then l.last_key_since else $1::timestamptz end`,
    [observed, source],
  )
  await sql.unsafe(
    `update listings l set is_listed = false, run_since = $1,
       appeared_at = coalesce(appeared_at, case when ${agreedSince("run_since")} then run_since end)
     where is_listed and not exists (
       select from companies c where c.asx_code = l.asx_code
         and coalesce(c.listing_date = l.listing_date, true) and ${isListed})`,
    [observed],
  )
  // Facts on which the last files and earlier ones agree count from now on.
  await sql.unsafe(
    `update listings set confirmed_keys = confirmed_keys || last_key
     where is_listed and last_key not in ('', asx_code) and ${agreedSince("last_key_since")}
       and not last_key = any(confirmed_keys)`,
    [observed],
  )
  await sql.unsafe(
    `update listings set appeared_at = run_since, missing_since = null,
       successor = null, successor_date = null
     where is_listed and (appeared_at is null or missing_since is not null) and ${agreedSince("run_since")}`,
    [observed],
  )
  await sql.unsafe(
    `update listings set missing_since = run_since
     where not is_listed and missing_since is null and ${agreedSince("run_since")}`,
    [observed],
  )
  return linkSuccessors(sql, release)
}

/**
 * A query of the ended listings with the listings that may succeed each, and whether the pair is decided.
 * A company that is still listed, if under another date, has not ended. A secondary listing that begins or
 * ends is no change of the company's code, and neither is a corrected date. A code succeeds one code at most.
 */
export const successorPairs = `
  select p.asx_code as predecessor, p.company_name as former_company, s.asx_code as successor,
    s.company_name as company, p.listing_date, s.listing_date as successor_date,
    p.missing_since, s.appeared_at, p.confirmed_keys && s.confirmed_keys as has_same_name,
    p.successor is not null as is_linked, s.asx_code = any(p.declined) as is_declined
  from listings p join listings s on s.listing_date = p.listing_date and s.asx_code <> p.asx_code
    and s.appeared_at > p.appeared_at
    and not exists (
      select from listings o where o.listing_date = p.listing_date and (
        starts_with(p.asx_code, o.asx_code) and p.asx_code <> o.asx_code
        or starts_with(s.asx_code, o.asx_code) and s.asx_code <> o.asx_code))
    and not exists (
      select from listings o where o.asx_code = s.asx_code and o.listing_date <> s.listing_date
        and o.appeared_at < s.appeared_at and o.name_keys && s.name_keys)
    and not exists (
      select from listings o where o.successor = s.asx_code and o.successor_date = s.listing_date
        and o.asx_code <> p.asx_code)
    and s.appeared_at between p.missing_since - interval '7 days' and p.missing_since + interval '7 days'
  where coalesce(p.successor, s.asx_code) = s.asx_code and not exists (
    select from companies c where c.asx_code = p.asx_code and c.is_active
      and (coalesce(c.listing_date = p.listing_date, true) or c.name_key = any(p.name_keys)))`

export const isProposed = "not (is_linked or is_declined)"

/** Links a successor without an operator where it is the only one with a name of the ended listing. */
async function linkSuccessors(sql: TransactionSql, release: number): Promise<number> {
  const rows = await sql.unsafe<ListingPair[]>(
    `select predecessor, listing_date::text, min(successor) as successor,
       listing_date::text as successor_date
     from (${successorPairs}) as found where ${isProposed} and has_same_name
     group by 1, 2 having count(*) = 1`,
  )
  for (const pair of rows) await setSuccessor(sql, release, pair)
  return rows.length
}

export interface ListingPair {
  predecessor: string
  successor: string
  listing_date: string
  successor_date: string | null
}

/**
 * The record of the predecessor names its successor, unless the code is another company's by now.
 * @param isRight false to decline the pair, which ends its link
 */
export async function setSuccessor(
  sql: TransactionSql,
  release: number,
  { predecessor, successor, listing_date, successor_date }: ListingPair,
  isRight = true,
): Promise<void> {
  const key = [predecessor, listing_date, isRight ? successor : null]
  await sql.unsafe(
    `update listings
     set successor = $3, successor_date = $5, declined = ${isRight ? "array_remove" : "array_append"}(declined, $4)
     where asx_code = $1 and listing_date = $2::date`,
    [...key, successor, isRight ? successor_date : null],
  )
  // The last files may have had a wrong date.
  const isRecord = `t.asx_code = $1 and t.successor is distinct from $3 and exists (
    select from listings l where l.asx_code = $1 and l.listing_date = $2::date
      and (t.listing_date = l.listing_date or t.name_key = any(l.name_keys)))`
  await sql.unsafe(
    `with kept as (${keepInHistory(companiesTable, isRecord, "$4")})
     update companies t set successor = $3, ${withoutFile("$4")} where ${isRecord}`,
    [...key, release],
  )
}
