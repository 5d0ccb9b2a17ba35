/** The successors of companies that an operator is asked about: see `listings.ts`. */
import type { TransactionSql } from "postgres"
import type { ConfirmedChange } from "../db/confirmed-change.ts"
import { withSnapshot } from "../db/connection.ts"
import { utc } from "../db/utc.ts"
import { companies } from "../resources/companies.ts"
import { isProposed, type Pair, setSuccessor, successorPairs } from "./listings.ts"
import { LoadError } from "./load-error.ts"
import type { Progress } from "./progress.ts"
import { insertChange, nextRelease, publishChange } from "./publishing.ts"

export interface ProposedSuccessor extends Pair {
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
         successor, company, ${utc("appeared_at")} as appeared_at, listing_date::text
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

interface DecidedPair extends Pair {
  is_linked: boolean
}

const whenUnknown =
  "It is not known whether the decision was stored. Run the same command again: if the decision was stored, the command finds no such pair."

/**
 * Returns the release that links a successor or ends its link; null where the decision changes no link.
 * @throws LoadError for a pair that is not proposed, or is decided so
 */
export const decideSuccessor = (
  url: string,
  decision: SuccessorDecision,
  progress: Progress,
): Promise<ConfirmedChange<number | null>> =>
  publishChange(url, {
    whenUnknown,
    progress,
    work: async (sql) => {
      const { isRight } = decision
      const pair = await findPair(sql, decision)
      const release = await nextRelease(sql)
      await setSuccessor(sql, release, pair, isRight)
      if (!isRight && !pair.is_linked) return null
      await insertChange(sql, release, "successors", companies, { changed: 1 }, progress)
      return release
    },
    isPublished: (release) => release !== null,
  })

async function findPair(
  sql: TransactionSql,
  { predecessor, successor, isRight }: SuccessorDecision,
): Promise<DecidedPair> {
  const [pair] = await sql.unsafe<DecidedPair[]>(
    `select predecessor, successor, listing_date::text, is_linked from (${successorPairs}) as found
     where predecessor = $1 and successor = $2 and not ${isRight ? "is_linked" : "is_declined"}`,
    [predecessor, successor],
  )
  if (pair) return pair
  throw new LoadError(
    `Cannot decide whether ${successor} is the successor of ${predecessor}: \`mds companies successors\` lists no such pair`,
  )
}
