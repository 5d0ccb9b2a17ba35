/** The codes under which companies are stored, for the codes in paths and filters. */
import { and, eq, lte, sql } from "drizzle-orm"
import { isTemporaryCode } from "../../resources/values.ts"
import type { Pool } from "../pool/pool.ts"
import type { AccountId } from "../pool/turns.ts"
import { temporaryCodes } from "../schema.ts"

/**
 * The ordinary code that a temporary one stands for at a release: from the first in which it held, unless a
 * company has it of its own. Any other code as it is. May throw Unavailable.
 */
export type OrdinaryCode = (code: string, release: number, account: AccountId) => Promise<string>

export function createOrdinaryCodes(pool: Pool): OrdinaryCode {
  const { code, asx_code, since_release } = temporaryCodes
  const release = sql.placeholder("release")
  const isNobodysOwn = sql`not exists (
    select from companies own
    where own.asx_code = temporary_codes.code and own.since_release <= ${release}
    union all
    select from companies_history own
    where own.asx_code = temporary_codes.code and own.since_release <= ${release}
      and own.until_release > ${release})`
  const found = pool.db
    .select({ asx_code })
    .from(temporaryCodes)
    .where(and(eq(code, sql.placeholder("code")), lte(since_release, release), isNobodysOwn))
    .prepare("ordinary code")

  return async (code, release, account) => {
    if (!isTemporaryCode(code)) return code
    const [row] = await pool.runAlone(account, () => found.execute({ code, release }))
    return row?.asx_code ?? code
  }
}
