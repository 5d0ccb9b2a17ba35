/** The successors of companies that an operator is asked about: see `listings.ts`. */
import type { TransactionSql } from "postgres"
import { lockPublishing } from "../db/advisory-locks.ts"
import { committed } from "../db/commit.ts"
import { type ConfirmedChange, changeAndConfirm } from "../db/confirmed-change.ts"
import { withSnapshot } from "../db/connection.ts"
import { utc } from "../db/utc.ts"
import { asxCodeFromText } from "../resources/values.ts"
import { relink } from "./links.ts"
import { candidates, type Pair, setSuccessor } from "./listings.ts"
import { LoadError } from "./load-error.ts"
import type { Progress } from "./progress.ts"
import { insertRelease, transactionSettings } from "./publish.ts"
import { storedNames } from "./stored-holders.ts"

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
       from (${candidates}) as found order by found.missing_since desc, predecessor, successor`,
    ),
  )

export interface SuccessorDecision {
  predecessor: string
  successor: string
  isRight: boolean
}

const whenUnknown =
  "It is not known whether the decision was stored. Run the same command again: if it was, the pair is not proposed any more."

/**
 * Returns the release that links a successor which is right; null for one that is declined.
 * @throws LoadError for a pair that is not proposed
 */
export const decideSuccessor = (
  url: string,
  decision: SuccessorDecision,
  progress: Progress,
): Promise<ConfirmedChange<number | null>> =>
  changeAndConfirm(
    url,
    (client) =>
      committed(whenUnknown, (committing) =>
        client.begin(async (sql) => {
          await sql.unsafe(transactionSettings)
          await lockPublishing(sql, () => progress.step("Waiting for a load to end"))
          const pair = await proposedPair(sql, decision)
          const release = decision.isRight ? await confirm(sql, pair, progress) : null
          if (release === null) await decline(sql, pair)
          committing()
          return release
        }),
      ),
    (release) => release !== null,
  )

async function proposedPair(sql: TransactionSql, decision: SuccessorDecision): Promise<Pair> {
  const [predecessor, successor] = [decision.predecessor, decision.successor].map(asxCodeFromText)
  const [pair] = await sql.unsafe<Pair[]>(
    `select predecessor, successor, listing_date::text from (${candidates}) as found
     where predecessor = $1 and successor = $2`,
    [predecessor ?? "", successor ?? ""],
  )
  if (pair) return pair
  throw new LoadError(
    `Cannot decide whether ${successor} is the successor of ${predecessor}: \`mds companies successors\` lists no such pair`,
  )
}

async function confirm(sql: TransactionSql, pair: Pair, progress: Progress): Promise<number> {
  const [next] = await sql.unsafe<[{ id: number; now: string }]>(
    `select coalesce(max(id), 0) + 1 as id, ${utc("now()")} as now from releases`,
  )
  await setSuccessor(sql, next.id, pair)
  const links = await relink(sql, next.id, 0, progress)
  await insertRelease(sql, next.id, "successors", {
    observed: next.now,
    observed_is_known: true,
    holder_names: await storedNames(sql, "companies"),
    files: [],
    resources: { companies: { added: 0, changed: 1, removed: 0, deactivated: 0 } },
    links,
  })
  return next.id
}

const decline = (sql: TransactionSql, { predecessor, successor, listing_date }: Pair) =>
  sql.unsafe(
    "update listings set declined = declined || $3::text where asx_code = $1 and listing_date = $2::date",
    [predecessor, listing_date, successor],
  )
