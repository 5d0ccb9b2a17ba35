/** The codes under which companies are stored, for the codes in paths and filters. */
import { and, eq, gt, isNull, lte, or, sql } from "drizzle-orm"
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
  const { code, asx_code, since_release, replaced_release } = temporaryCodes
  const release = sql.placeholder("release")
  const found = pool.db
    .select({ asx_code })
    .from(temporaryCodes)
    .where(
      and(
        eq(code, sql.placeholder("code")),
        lte(since_release, release),
        or(isNull(replaced_release), gt(replaced_release, release)),
      ),
    )
    .prepare("ordinary code")

  return async (code, release, account) => {
    if (!isTemporaryCode(code)) return code
    const [row] = await pool.runAlone(account, () => found.execute({ code, release }))
    return row?.asx_code ?? code
  }
}
