/**
 * Companies that changed their code. A company keeps its listing date when its code changes, so a listing
 * that ended and one that appeared within seven days, with the same date, may be one company. Where they
 * share a name, present or former, the later one is its successor; otherwise an operator decides.
 *
 * A listing is a code with its listing date. It has ended once its company is inactive, or the code is
 * another company's.
 */
import type { TransactionSql } from "postgres"
import { companies } from "../db/schema.ts"
import { keepInHistory, withoutFile } from "./history.ts"

const isListed = `c.is_active and c.listing_date is not null and not exists (
  select from missing_records m
  where m.source = c.source and m.resource = 'companies' and m.key = c.asx_code)`

/** Records which listings the directory has, as of its files' time. Must run after `recordFormerNames`. */
export async function recordListings(
  sql: TransactionSql,
  source: string,
  observed: string,
): Promise<void> {
  await sql.unsafe(
    `insert into listings as l (asx_code, listing_date, company_name, name_keys, appeared_at)
     select c.asx_code, c.listing_date, c.company_name, array(
         select c.name_key where c.name_key <> '' union
         select f.name_key from former_names f where f.asx_code = c.asx_code and f.is_certain
         order by 1), $1
     from companies c where c.source = $2 and ${isListed}
     on conflict (asx_code, listing_date) do update set
       company_name = excluded.company_name, name_keys = excluded.name_keys, missing_since = null,
       appeared_at = case when l.missing_since is null then l.appeared_at else excluded.appeared_at end,
       successor = null`,
    [observed, source],
  )
  await sql.unsafe(
    `update listings l set missing_since = $1 where missing_since is null and not exists (
       select from companies c
       where c.asx_code = l.asx_code and c.listing_date = l.listing_date and ${isListed})`,
    [observed],
  )
}

/**
 * A query of the ended listings with the listings that may succeed each, and whether the pair is decided.
 * A secondary listing that begins or ends is no change of the company's code.
 */
export const successorPairs = `
  select p.asx_code as predecessor, p.company_name as former_company, s.asx_code as successor,
    s.company_name as company, p.listing_date, p.missing_since, s.appeared_at,
    p.name_keys && s.name_keys as has_same_name,
    p.successor is not null as is_linked, s.asx_code = any(p.declined) as is_declined
  from listings p join listings s on s.listing_date = p.listing_date and s.asx_code <> p.asx_code
    and s.appeared_at > p.appeared_at
    and not exists (
      select from listings o where o.listing_date = p.listing_date and (
        starts_with(p.asx_code, o.asx_code) and p.asx_code <> o.asx_code
        or starts_with(s.asx_code, o.asx_code) and s.asx_code <> o.asx_code))
    and s.appeared_at between p.missing_since - interval '7 days' and p.missing_since + interval '7 days'
  where coalesce(p.successor, s.asx_code) = s.asx_code and not exists (
    select from companies c
    where c.asx_code = p.asx_code and c.listing_date = p.listing_date and c.is_active)`

export const isProposed = "not (is_linked or is_declined)"

/** Links a successor without an operator where it is the only one with a name of the ended listing. */
export async function linkSuccessors(sql: TransactionSql, release: number): Promise<void> {
  const rows = await sql.unsafe<Pair[]>(
    `select predecessor, listing_date::text, min(successor) as successor
     from (${successorPairs}) as found where ${isProposed} and has_same_name
     group by 1, 2 having count(*) = 1`,
  )
  for (const pair of rows) await setSuccessor(sql, release, pair)
}

export interface Pair {
  predecessor: string
  successor: string
  listing_date: string
}

/**
 * The record of the predecessor names its successor, unless the code is another company's by now.
 * @param isRight false to decline the pair, which ends its link
 */
export async function setSuccessor(
  sql: TransactionSql,
  release: number,
  { predecessor, successor, listing_date }: Pair,
  isRight = true,
): Promise<void> {
  const key = [predecessor, listing_date, isRight ? successor : null]
  await sql.unsafe(
    `update listings
     set successor = $3, declined = ${isRight ? "array_remove" : "array_append"}(declined, $4)
     where asx_code = $1 and listing_date = $2::date`,
    [...key, successor],
  )
  const isRecord =
    "t.asx_code = $1 and t.listing_date = $2::date and t.successor is distinct from $3"
  await sql.unsafe(
    `with kept as (${keepInHistory(companies, isRecord, "$4")})
     update companies t set successor = $3, ${withoutFile("$4")} where ${isRecord}`,
    [...key, release],
  )
}
