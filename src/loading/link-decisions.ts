/**
 * What operators decide of links between holders and companies. A decision is stored at once. The
 * confirmed links are published as subsidiaries, all of them by each load of their source: so a link
 * that is declined later goes, and a load that was interrupted is made up for by the next.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Sql } from "postgres"
import { locks } from "../db/advisory-locks.ts"
import { withConnection } from "../db/connection.ts"
import { asxCodeFromText } from "../resources/values.ts"
import { confirmedSubsidiaries } from "../sources/own-columns.ts"
import { normaliseName } from "../text/company-name.ts"
import { load } from "./load.ts"
import { LoadError } from "./load-error.ts"
import type { LoadOptions } from "./load-options.ts"
import type { LoadSummary } from "./summary.ts"
import { textCsv } from "./unlinked.ts"

export interface Decision {
  /** In any spelling. */
  holder: string
  asxCode: string
  isRight: boolean
}

/**
 * Stores a decision in place of an earlier one. Returns whether a confirmed link is now declined.
 * @throws LoadError where nobody holds tenements under the name, or no company has the code
 */
export const decide = (url: string, { holder, asxCode, isRight }: Decision): Promise<boolean> =>
  withConnection(url, async (sql) => {
    const key = normaliseName(holder)
    const code = asxCodeFromText(asxCode)
    await checkNames(sql, { holder, key, code })
    const [row] = await sql.unsafe(
      `with earlier as (
         select is_right from link_decisions where holder_key = $1 and asx_code = $3
       )
       insert into link_decisions (holder_key, holder, asx_code, is_right) values (
         $1, coalesce((select min(holder) from suggested_links where holder_key = $1), $2), $3, $4)
       on conflict (holder_key, asx_code) do update set is_right = excluded.is_right
       returning coalesce((select is_right from earlier), false) as was_right`,
      [key, holder, code, isRight],
    )
    return row?.was_right === true && !isRight
  })

async function checkNames(
  sql: Sql,
  { holder, key, code }: { holder: string; key: string; code: string },
): Promise<void> {
  const [found] = await sql.unsafe(
    `select exists (select from tenements where $1 = any(holder_keys)) as is_holder,
       exists (select from companies where asx_code = $2) as is_company`,
    [key, code],
  )
  if (key === "" || !found?.is_holder) {
    throw new LoadError(
      `No tenement has the holder "${holder}"; list the unlinked holders with \`mds holders unlinked\``,
    )
  }
  if (!found?.is_company) throw new LoadError(`No company has the code ${code}`)
}

/**
 * Publishes the confirmed links; null where nothing has been decided.
 * @throws what `load` throws
 */
export const publishConfirmed = (
  options: Omit<LoadOptions, "source" | "files">,
): Promise<LoadSummary | null> =>
  withConnection(options.url, async (sql) => {
    // Until this connection ends, so that no load publishes links that were read before another's.
    await sql.unsafe("select pg_advisory_lock($1)", [locks.confirming])
    const rows = await sql.unsafe(
      `select holder as name, case when is_right then asx_code end as parent_asx_code
       from link_decisions order by holder_key, asx_code`,
    )
    if (rows.length === 0) return null
    const directory = await mkdtemp(join(tmpdir(), "mds-"))
    try {
      const path = join(directory, "confirmed.csv")
      await writeFile(path, textCsv(rows, ["name", "parent_asx_code"]))
      return await load({
        ...options,
        source: confirmedSubsidiaries,
        files: [path],
        acceptShrink: true,
      })
    } finally {
      await rm(directory, { recursive: true })
    }
  })
