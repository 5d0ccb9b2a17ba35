/** The evidence on codes that ended and codes that began, in words, for a person who decides on each pair. */
import type { TransactionSql } from "postgres"
import { withSnapshot } from "../../data/db/connection.ts"
import { sydney } from "../../system/text/time.ts"
import { isEstablished, isSameCompany } from "./listings.ts"
import {
  findPair,
  follows,
  type ProposedSuccessor,
  proposedPairs,
  type SuccessorPair,
} from "./successors.ts"

export type SuccessorEvidence = Awaited<ReturnType<typeof weigh>>

/** @throws LoadError for codes that cannot be a pair */
export const readSuccessorEvidence = (url: string, pair: SuccessorPair) =>
  withSnapshot(url, (sql) => weigh(sql, pair))

/** The proposed pairs with their evidence: unlikely pairs last, and of the others first those that move most tenements. */
export const readWeighedSuccessors = (url: string) =>
  withSnapshot(url, async (sql) => {
    const weighed: (ProposedSuccessor & SuccessorEvidence)[] = []
    for (const pair of await sql.unsafe<ProposedSuccessor[]>(proposedPairs))
      weighed.push({ ...pair, ...(await weigh(sql, pair)) })
    return weighed.sort(
      (a, b) => a.speaksAgainst.length - b.speaksAgainst.length || b.tenements - a.tenements,
    )
  })

/** The evidence on a pair, in words, and how many tenements a link would move to the successor. */
async function weigh(sql: TransactionSql, pair: SuccessorPair) {
  const { predecessor, successor } = pair
  const found = await findPair(sql, { ...pair, isRight: true })
  const { listing_date: from, successor_date: to } = found
  const [facts] = await sql.unsafe<[PairFacts]>(pairFacts, [predecessor, from, successor, to])
  const { ended_report: ended, begun_report: begun, tenements } = facts
  const signs: [isFor: boolean, text: string | false | null][] = [
    [from === to, `listing dates: ${from}, ${to}`],
    [facts.names !== null, `name of both: ${facts.names ?? "none"}`],
    [
      facts.follows,
      `${predecessor} was listed until ${facts.last_day}, ${successor} from ${facts.first_day}`,
    ],
    [
      // A company stops using its old code.
      (ended ?? "").slice(0, 10) <= facts.first_day,
      (ended ?? begun) &&
        `last announcements: ${predecessor} ${ended ?? "none"}; ${successor} ${begun ?? "none"}`,
    ],
    [false, facts.others && `other codes of the same listing date: ${facts.others}`],
    [false, !found.is_active && `${successor} is not listed`],
    [false, found.is_declined && "the pair was declined"],
  ]
  const wordsOf = (isFor: boolean) =>
    signs.flatMap(([speaksFor, text]) => (speaksFor === isFor && text ? [text] : []))
  return {
    listing_date: from,
    speaksFor: wordsOf(true),
    speaksAgainst: wordsOf(false),
    tenements,
  }
}

interface PairFacts {
  last_day: string
  first_day: string
  follows: boolean
  /** The established names of both, and the other codes of the same date. */
  names: string | null
  others: string | null
  /** The last announcements, each with its day. */
  ended_report: string | null
  begun_report: string | null
  tenements: number
}

const lastReport = (code: string): string => `(
  select to_char(published_at at time zone '${sydney}', 'YYYY-MM-DD ') || title
  from reports where asx_code = ${code} order by published_at desc limit 1)`

const pairFacts = `
  with ended as (select * from listings where asx_code = $1 and listing_date = $2::date),
    begun as (select * from listings where asx_code = $3 and listing_date = $4::date)
  select last_day::text, first_day::text, first_day > last_day and ${follows("first_day", "last_day")} as follows,
    ${lastReport("$1")} as ended_report, ${lastReport("$3")} as begun_report,
    (select count(*)::integer from tenements where not asx_codes @> array[$3]::text[] and (
      holder_keys && array(select name_key from ended)
      or asx_codes @> array[$1]::text[] and exists (select from companies c where c.asx_code = $1
        and ${isSameCompany("c.asx_code", "c.listing_date", "$2::date")}))) as tenements,
    (select string_agg(e.company_name, '; ') from ended e join begun b using (name_key)
      where ${isEstablished("e")} and ${isEstablished("b")}) as names,
    (select string_agg(distinct asx_code, ', ') from listings
      where listing_date = $2::date and asx_code not in ($1, $3)) as others
  from (select max(last_day) as last_day from ended) e, (select min(first_day) as first_day from begun) b`
