/**
 * Companies that changed their code. A company keeps its listing date when its code changes, so a code that
 * ended and one that began, with the same date, may be one company. They seldom share a name, so an operator
 * decides on each pair. Loads read the decisions and never change them.
 */
import type { TransactionSql } from "postgres"
import { withConnection, withSnapshot } from "../../data/db/connection.ts"
import { companiesTable } from "../../data/db/schema.ts"
import { companies } from "../../data/resources/companies.ts"
import { decisionSources } from "../../data/resources/releases.ts"
import { noChanges } from "./figures.ts"
import { keepInHistory, withoutFile } from "./history.ts"
import { isEstablished, isSameCompany } from "./listings.ts"
import { LoadError } from "./load-error.ts"
import { successors } from "./name-owners.ts"
import type { Progress } from "./progress.ts"
import { publishChange } from "./publishing.ts"

/** Whether the last files have a company. It stays active for some days without them. */
const isListed = (company: string): string => `(${company}.is_active and not exists (
  select from missing_records m where m.resource = 'companies' and m.key = ${company}.asx_code))`

/** Whether the company of a listing is not listed under its code now. */
const hasEnded = (listing: string): string => `not exists (
  select from companies c where c.asx_code = ${listing}.asx_code and ${isListed("c")}
    and coalesce(${isSameCompany("c.asx_code", "c.listing_date", `${listing}.listing_date`)}, true))`

/** Whether two codes are one share and another security of its company, such as its options. */
const isSecondary = (listing: string): string => `exists (
  select from listings o where o.listing_date = ${listing}.listing_date
    and starts_with(${listing}.asx_code, o.asx_code) and ${listing}.asx_code <> o.asx_code)`

/** Whether a code begins at most 21 days from the last day of another, or in the next file. */
export const follows = (first: string, last: string): string => `(abs(${first} - ${last}) <= 21
  or ${first} = (select min(day) from directory_days where day > ${last}))`

/**
 * A query of the undecided pairs. The days are those of the company under its code, also under other listing
 * dates: a corrected date neither ends nor begins it. The first file has no beginnings.
 */
export const proposedPairs = `
  with counted as materialized (
    select asx_code, listing_date, array_agg(name_key) as name_keys,
      (array_agg(company_name order by last_day desc))[1] as company_name, bool_or(${isEstablished("l")}) as is_established
    from listings l where listing_date is not null group by 1, 2
  ), listed as materialized (
    select c.asx_code, c.listing_date, c.company_name, min(first_day) as first_day, max(last_day) as last_day
    from counted c join listings l on l.asx_code = c.asx_code
      and (l.listing_date = c.listing_date or l.name_key = any(c.name_keys))
    where c.is_established group by 1, 2, 3
  ), pairs as (
    select p.asx_code as predecessor, p.company_name as former_company, p.last_day,
      s.asx_code as successor, s.company_name as company, s.first_day, p.listing_date
    from listed p join listed s on s.listing_date = p.listing_date and s.asx_code <> p.asx_code
      and s.last_day > p.last_day
    where s.first_day > (select min(day) from directory_days)
      and ${follows("s.first_day", "p.last_day")}
      and not ${isSecondary("p")} and not ${isSecondary("s")} and ${hasEnded("p")}
      and exists (select from companies c where c.asx_code = s.asx_code)
      and not exists (
        select from successor_decisions d
        where (d.asx_code, d.listing_date) = (p.asx_code, p.listing_date) and (d.is_right or d.successor = s.asx_code)
          or (d.successor, d.successor_date) = (s.asx_code, s.listing_date) and d.is_right)
  )
  select predecessor, former_company, last_day::text, successor, company, first_day::text, listing_date::text,
    count(*) over (partition by predecessor, listing_date) = 1
      and count(*) over (partition by successor, listing_date) = 1 as is_only
  from pairs order by pairs.last_day desc, predecessor, successor`

export type SuccessorPair = {
  predecessor: string
  successor: string
  /** Of the ended code, if it is known which of its companies is meant. */
  listing_date?: string
}

export type ProposedSuccessor = SuccessorPair & {
  former_company: string
  /** The last day of the ended code, and the first of the new one. */
  last_day: string
  company: string
  first_day: string
  listing_date: string
  /** Whether neither code has a second candidate. */
  is_only: boolean
}

/** The latest first. */
export const readProposedSuccessors = (url: string): Promise<ProposedSuccessor[]> =>
  withSnapshot(url, (sql) => sql.unsafe<ProposedSuccessor[]>(proposedPairs))

/** One decision takes the place of another. */
export interface SuccessorDecision extends SuccessorPair {
  isRight: boolean
}

interface DecidedPair extends SuccessorPair {
  listing_date: string
  successor_date: string
  is_active: boolean
  is_declined: boolean
}

const whenUnknown =
  "It is not known whether the decision was stored. Run the same command again: if the decision was stored, the command changes nothing."

/**
 * Links successors or ends their links, in one release; publishes nothing where no link changes.
 * @throws LoadError for codes that cannot be a pair; stores none then
 */
export const decideSuccessors = (
  url: string,
  decisions: readonly SuccessorDecision[],
  progress: Progress,
) =>
  publishChange(url, {
    ...{ whenUnknown, progress, source: decisionSources.successors },
    change: async (sql, release) => {
      for (const decision of decisions) await store(sql, decision)
      const changed = await nameSuccessors(sql, release)
      return { resource: companies, changes: { ...noChanges, changed } }
    },
  })

/** Stores a decision that `decideSuccessors` publishes later. @throws as that does */
export const storeSuccessor = (url: string, decision: SuccessorDecision): Promise<void> =>
  withConnection(url, async (client) => {
    await client.begin((sql) => store(sql, decision))
  })

async function store(sql: TransactionSql, decision: SuccessorDecision): Promise<void> {
  const { predecessor, successor, listing_date, successor_date } = await findPair(sql, decision)
  await sql.unsafe(
    `with replaced as (
       delete from successor_decisions r where asx_code = $1 and successor <> $3 and is_right and $5::boolean
         and ${isSameCompany("$1", "r.listing_date", "$2::date")}
     )
     insert into successor_decisions as d (asx_code, listing_date, successor, successor_date, is_right)
     values ($1, $2::date, $3, $4::date, $5::boolean)
     on conflict (asx_code, listing_date, successor) do update set
       successor_date = excluded.successor_date, is_right = excluded.is_right`,
    [predecessor, listing_date, successor, successor_date, decision.isRight],
  )
}

/**
 * The record of a company that has ended names the successor that an operator decided, unless its code is
 * another company's by now. Returns how many records change that this release has not changed already.
 */
export async function nameSuccessors(sql: TransactionSql, release: number): Promise<number> {
  const { count } = await sql.unsafe(
    `with named as materialized (
       select c.asx_code, d.successor from companies c left join successor_decisions d
         on d.is_right and d.asx_code = c.asx_code and not ${isListed("c")}
         and ${isSameCompany("c.asx_code", "c.listing_date", "d.listing_date")}
       where c.successor is distinct from d.successor
     ), updated as (
       update companies c set successor = named.successor, ${withoutFile}
       from named where named.asx_code = c.asx_code
     ) ${keepInHistory(companiesTable, "t.asx_code in (select asx_code from named)")}`,
    [release],
  )
  return count
}

/**
 * The listing date of the ended code that is linked to the new one, else that the new one has too, else the one
 * seen last; to decline again, that of the last time. A decision may come twice, as by two reviews at once.
 */
export async function findPair(
  sql: TransactionSql,
  { predecessor, successor, listing_date, isRight }: SuccessorDecision,
): Promise<DecidedPair> {
  const [pair] = await sql.unsafe<DecidedPair[]>(
    `with recursive ${successors}
     select p.asx_code as predecessor, s.asx_code as successor, p.listing_date::text,
       s.listing_date::text as successor_date, s.is_active, d.is_right is false as is_declined
     from listings p join companies s on s.asx_code = $2 left join successor_decisions d
       on (d.asx_code, d.listing_date, d.successor) = (p.asx_code, p.listing_date, s.asx_code)
     where p.asx_code = $1 and p.asx_code <> s.asx_code and p.listing_date is not null and s.listing_date is not null
       and p.listing_date = coalesce($4::date, p.listing_date)
       and (not $3::boolean or ${hasEnded("p")}
         and not exists (select from successors h where h.asx_code = $2 and h.successor = $1))
     order by d.is_right is true desc, d.is_right is false and not $3::boolean desc,
       p.listing_date = s.listing_date desc, ${isEstablished("p")} desc, p.last_day desc
     limit 1`,
    [predecessor, successor, isRight, listing_date ?? null],
  )
  if (pair) return pair
  throw new LoadError(
    `Cannot ${isRight ? "link" : "decline"} ${successor} as the successor of ${predecessor}: ` +
      `a directory with listing dates must have had both, and ${predecessor} must have ended`,
  )
}
