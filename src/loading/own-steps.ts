/** Steps of a load that single sources have, by their names. */
import type { TransactionSql } from "postgres"
import { asxDirectory } from "../sources/asx-directory.ts"
import { linkSuccessors, recordListings } from "./listings.ts"
import type { Staging } from "./staging.ts"
import { assignOrdinaryCodes } from "./temporary-codes.ts"

interface OwnSteps {
  /** Corrects the staged rows. Returns the keys of the records that rejected rows may be. */
  correct: (staging: Staging, rejectedKeys: readonly string[]) => Promise<readonly string[]>
  /**
   * Records what the files show besides the records. Returns how many records that changes.
   * @param observed when the files were true
   */
  record: (sql: TransactionSql, observed: string, release: number) => Promise<number>
}

export const ownSteps: Readonly<Partial<Record<string, OwnSteps>>> = {
  [asxDirectory.name]: {
    correct: assignOrdinaryCodes,
    record: async (sql, observed, release) => {
      await recordListings(sql, asxDirectory.name, observed)
      return linkSuccessors(sql, release)
    },
  },
}
