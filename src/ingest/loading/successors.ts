/** The successors of companies that an operator decides: see `listings.ts`. */
import type { TransactionSql } from "postgres"
import { withSnapshot } from "../../data/db/connection.ts"
import { utc } from "../../data/db/utc.ts"
import { companies } from "../../data/resources/companies.ts"
import { dayMs } from "../../system/text/time.ts"
import { noChanges } from "./figures.ts"
import { isProposed, type ListingPair, setSuccessor, successorPairs } from "./listings.ts"
import { LoadError } from "./load-error.ts"
import { successors } from "./name-owners.ts"
import type { Progress } from "./progress.ts"
import { publishChange } from "./publishing.ts"

export interface ProposedSuccessor extends ListingPair {
  former_company: string
  company: string
  /** The times of the first files that lacked the one and had the other. */
  missing_since: string
  appeared_at: string
}

/** The latest first. */
export const readProposedSuccessors = (url: string): Promise<ProposedSuccessor[]> =>
  withSnapshot(url, (sql) =>
    sql.unsafe<ProposedSuccessor[]>(
      `select predecessor, former_company, ${utc("missing_since")} as missing_since,
         successor, company, ${utc("appeared_at")} as appeared_at, listing_date::text, successor_date::text
       from (${successorPairs}) as found where ${isProposed}
       order by found.missing_since desc, predecessor, successor`,
    ),
  )

/** One decision takes the place of another. */
export interface SuccessorDecision {
  predecessor: string
  successor: string
  isRight: boolean
}

interface DecidedPair extends ListingPair {
  is_linked: boolean
  is_declined: boolean
  is_active: boolean
}

const whenUnknown =
  "It is not known whether the decision was stored. Run the same command again: if the decision was stored, the command finds no such pair."

/**
 * Links a successor or ends its link; publishes nothing where the decision changes no link.
 * @throws LoadError for codes that cannot be a pair, and for a pair that is decided so
 */
export const decideSuccessor = (url: string, decision: SuccessorDecision, progress: Progress) =>
  publishChange(url, {
    ...{ whenUnknown, progress, source: "successors" },
    change: async (sql, release) => {
      const { isRight } = decision
      const pair = await findPair(sql, decision)
      await setSuccessor(sql, release, pair, isRight)
      if (!isRight && !pair.is_linked) return null
      return { resource: companies, changes: { ...noChanges, changed: 1 } }
    },
  })

/** The evidence on a pair, in words. */
export interface SuccessorEvidence {
  speaksFor: string[]
  speaksAgainst: string[]
}

/** @throws LoadError for codes that cannot be a pair */
export const readSuccessorEvidence = (
  url: string,
  pair: Omit<SuccessorDecision, "isRight">,
): Promise<SuccessorEvidence> =>
  withSnapshot(url, async (sql) => {
    const found = await findPair(sql, { ...pair, isRight: true })
    const { predecessor, successor, listing_date: from, successor_date: to } = found
    const [facts] = await sql.unsafe<[PairFacts]>(pairFacts, [predecessor, from, successor])
    const { ended, appeared, names, others } = facts
    const isNear = Math.abs(Date.parse(appeared ?? "") - Date.parse(ended ?? "")) <= 7 * dayMs
    const times = `${predecessor} ended ${ended ?? "at an unknown time"}, ${successor} appeared ${appeared ?? "at an unknown time"}`
    const signs = [
      { isFor: from === to, text: `listing dates: ${from}, ${to}` },
      { isFor: names !== null, text: `name of both: ${names ?? "none"}` },
      { isFor: isNear, text: times },
      ...(others
        ? [{ isFor: false, text: `other codes of the same listing date: ${others}` }]
        : []),
      ...(found.is_active ? [] : [{ isFor: false, text: `${successor} is not listed` }]),
      ...(found.is_declined ? [{ isFor: false, text: "the pair was declined" }] : []),
    ]
    const wordsOf = (isFor: boolean) =>
      signs.filter((sign) => sign.isFor === isFor).map(({ text }) => text)
    return { speaksFor: wordsOf(true), speaksAgainst: wordsOf(false) }
  })

interface PairFacts {
  ended: string | null
  appeared: string | null
  /** The names of both that count, and the other codes of the same date. */
  names: string | null
  others: string | null
}

const pairFacts = `
  select ${utc("p.missing_since")} as ended, ${utc("s.appeared_at")} as appeared,
    (select string_agg(key, '; ') from unnest(p.confirmed_keys) key where key = any(s.confirmed_keys)) as names,
    (select string_agg(asx_code, ', ' order by asx_code) from listings
      where listing_date = p.listing_date and asx_code not in (p.asx_code, $3)) as others
  from listings p left join companies c on c.asx_code = $3
    left join listings s on s.asx_code = $3 and s.listing_date = c.listing_date
  where p.asx_code = $1 and p.listing_date = $2::date`

/** The last ended listing of the code, and that of the same date first. */
async function findPair(
  sql: TransactionSql,
  { predecessor, successor, isRight }: SuccessorDecision,
): Promise<DecidedPair> {
  const [pair] = await sql.unsafe<DecidedPair[]>(
    `with recursive ${successors}
     select p.asx_code as predecessor, c.asx_code as successor, p.listing_date::text,
       c.listing_date::text as successor_date, c.is_active,
       coalesce(p.successor = c.asx_code, false) as is_linked, c.asx_code = any(p.declined) as is_declined
     from listings p join companies c on c.asx_code = $2
     where p.asx_code = $1 and p.asx_code <> c.asx_code and c.listing_date is not null
       and case when $3::boolean then coalesce(p.successor <> c.asx_code, true)
         and not exists (select from successors h where h.asx_code = $2 and h.successor = $1)
         and not exists (select from companies o where o.asx_code = $1 and o.is_active
           and (coalesce(o.listing_date = p.listing_date, true) or o.name_key = any(p.name_keys)))
       else p.successor = c.asx_code or not c.asx_code = any(p.declined) end
     order by p.successor = c.asx_code desc nulls last, p.listing_date = c.listing_date desc,
       p.missing_since desc nulls last, p.run_since desc limit 1`,
    [predecessor, successor, isRight],
  )
  if (pair) return pair
  throw new LoadError(
    `Cannot ${isRight ? "link" : "decline"} ${successor} as the successor of ${predecessor}: ` +
      `a directory with listing dates must have had both, ${predecessor} must have ended, and the pair must not be decided so already`,
  )
}
