/**
 * Operators' decisions on links between holders and companies. A decision is stored at once; each load of
 * the source `confirmed` publishes all confirmed links as subsidiaries. So it removes a link that was
 * declined later, and publishes those of an interrupted load.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Sql, TransactionSql } from "postgres"
import { locks } from "../db/advisory-locks.ts"
import { withConnection } from "../db/connection.ts"
import { normaliseName } from "../resources/company-name.ts"
import { confirmedSubsidiaries } from "../sources/own-columns.ts"
import { load } from "./load.ts"
import { LoadError } from "./load-error.ts"
import type { LoadOptions } from "./load-options.ts"
import type { LoadSummary } from "./summary.ts"
import { subsidiariesCsv } from "./unlinked.ts"

export interface LinkDecision {
  /** In any spelling. */
  holder: string
  asxCode: string
  isRight: boolean
}

export interface DecisionOutcome {
  /** Whether the confirmed links change. */
  isChange: boolean
  /** The source of a subsidiary that links the holder to the company despite the decision. */
  keptBy: string | null
}

/**
 * Stores a decision in place of an earlier one.
 * @throws LoadError where no tenement has the holder, or no company has the code
 */
export const decide = (url: string, decision: LinkDecision): Promise<DecisionOutcome> =>
  withConnection(url, (sql) => store(sql, decision))

/** Stores all of them or none. @throws what `decide` throws */
export const decideAll = (url: string, decisions: readonly LinkDecision[]): Promise<void> =>
  withConnection(url, async (client) => {
    await client.begin(async (sql) => {
      for (const decision of decisions) await store(sql, decision)
    })
  })

async function store(
  sql: Sql | TransactionSql,
  { holder, asxCode, isRight }: LinkDecision,
): Promise<DecisionOutcome> {
  const key = normaliseName(holder)
  const [stored] = await sql.unsafe(storeDecision, [key, holder, asxCode, isRight])
  if (stored) return { isChange: isRight || stored.was_right, keptBy: stored.kept_by }
  const [tenement] = await sql.unsafe("select from tenements where $1 = any(holder_keys) limit 1", [
    key,
  ])
  const reason = tenement
    ? "no company has the code"
    : "no tenement has this holder. List holders with `mds holders unlinked`"
  throw new LoadError(`Cannot decide whether ${holder} belongs to ${asxCode}: ${reason}`)
}

/** With the holder's most frequent spelling. */
const storeDecision = `
  insert into link_decisions (holder_key, holder, asx_code, is_right)
  select $1, coalesce((select min(holder) from suggested_links where holder_key = $1), $2), asx_code, $4
  from companies
  where asx_code = $3 and exists (select from tenements where $1 = any(holder_keys))
  on conflict (holder_key, asx_code) do update set is_right = excluded.is_right
  returning coalesce((select is_right from link_decisions earlier
    where (earlier.holder_key, earlier.asx_code) = (link_decisions.holder_key, link_decisions.asx_code)),
    false) as was_right,
    (select min(source) from subsidiaries where name_key = link_decisions.holder_key
      and parent_asx_code = link_decisions.asx_code and source <> '${confirmedSubsidiaries.name}') as kept_by`

/**
 * Publishes the confirmed links; null where nothing has been decided.
 * @throws what `load` throws
 */
export const publishConfirmed = (
  options: Omit<LoadOptions, "source" | "files">,
): Promise<LoadSummary | null> =>
  withConnection(options.url, async (sql) => {
    // Held until this connection ends, so that no load publishes older links over those of another.
    await sql.unsafe("select pg_advisory_lock($1)", [locks.confirming])
    const rows = await sql.unsafe(
      `select holder as name, case when is_right then asx_code end as parent_asx_code
       from link_decisions order by holder_key, asx_code`,
    )
    if (rows.length === 0) return null
    const directory = await mkdtemp(join(tmpdir(), "mds-"))
    const file = join(directory, "confirmed links")
    try {
      await writeFile(file, subsidiariesCsv(rows, []))
      const source = confirmedSubsidiaries
      return await load({ ...options, source, files: [file], acceptShrink: true })
    } finally {
      await rm(directory, { recursive: true })
    }
  })
