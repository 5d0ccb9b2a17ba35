/**
 * Operators' decisions on links between holders and companies. A decision is stored at once and stays until it
 * is changed. Each release that changes links reads all of them: see `name-owners.ts`.
 */
import type { TransactionSql } from "postgres"
import { withConnection, withSnapshot } from "../../data/db/connection.ts"
import { normaliseName } from "../../data/resources/company-name.ts"
import { decisionSources } from "../../data/resources/releases.ts"
import { tenements } from "../../data/resources/tenements.ts"
import { noChanges } from "./figures.ts"
import { LoadError } from "./load-error.ts"
import type { Progress } from "./progress.ts"
import { publishChange } from "./publishing.ts"

export interface LinkDecision {
  /** In any spelling. */
  holder: string
  asxCode: string
  isRight: boolean
}

/**
 * Stores decisions in place of earlier ones, all of them or none. Returns of each whether links may change, and the
 * source of a subsidiary that links the holder to the company despite the decision, if any.
 * @throws LoadError where neither a tenement nor an earlier decision has the holder, or no company has the code
 */
export const decide = (url: string, decisions: readonly LinkDecision[]) =>
  withConnection(url, async (client) => {
    const outcomes: Awaited<ReturnType<typeof store>>[] = []
    await client.begin(async (sql) => {
      for (const decision of decisions) outcomes.push(await store(sql, decision))
    })
    return outcomes
  })

async function store(sql: TransactionSql, { holder, asxCode, isRight }: LinkDecision) {
  const key = normaliseName(holder)
  const [stored] = await sql.unsafe<{ is_linked: boolean; kept_by: string | null }[]>(
    storeDecision,
    [key, holder, asxCode, isRight],
  )
  if (stored) return { isChange: isRight || stored.is_linked, keptBy: stored.kept_by }
  const [tenement] = await sql.unsafe(
    "select from tenements where holder_keys @> array[$1] limit 1",
    [key],
  )
  const reason = tenement
    ? "no company has the code"
    : "no tenement has this holder. List holders with `mds holders unlinked`"
  throw new LoadError(`Cannot decide whether ${holder} belongs to ${asxCode}: ${reason}`)
}

/** With the holder's most frequent spelling. */
const storeDecision = `
  insert into link_decisions (holder_key, holder, asx_code, is_right)
  select $1, coalesce((select min(holder) from suggested_links where holder_key = $1), $2), $3, $4
  where exists (select from link_decisions where holder_key = $1 and asx_code = $3)
    or exists (select from companies where asx_code = $3)
      and exists (select from tenements where holder_keys @> array[$1])
  on conflict (holder_key, asx_code) do update set is_right = excluded.is_right
  returning exists (select from link_keys where key = link_decisions.holder_key and basis = 'confirmed') as is_linked,
    (select min(source) from subsidiaries where name_key = link_decisions.holder_key
      and parent_asx_code = link_decisions.asx_code) as kept_by`

/** In the order of the codes and names, each with the number of its holder's tenements. */
export const readDecisions = (url: string) =>
  withSnapshot(url, (sql) =>
    sql.unsafe<Record<string, string | number>[]>(
      `select asx_code, holder, case when is_right then 'linked' else 'declined' end as decision,
         (select count(*)::integer from tenements
          where holder_keys @> array[holder_key]) as tenements
       from link_decisions order by asx_code, holder_key`,
    ),
  )

const whenUnknown =
  "It is not known whether the links were published. The decisions are stored: `mds holders review` publishes them."

/** Publishes the links of all decisions, in one release, if any link changes. */
export const publishDecisions = (url: string, progress: Progress) =>
  publishChange(url, {
    ...{ whenUnknown, progress, source: decisionSources.links },
    change: async () => ({ resource: tenements, changes: noChanges }),
  })
