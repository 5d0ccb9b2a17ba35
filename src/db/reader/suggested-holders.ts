/** The unlinked holders that may belong to a company, as the last load suggests them. They belong to no release. */
import type { ReadPool } from "../pool/pool.ts"
import type { AccountId } from "../pool/turns.ts"

export interface SuggestedHolder {
  name: string
  /** How many tenements it holds. */
  tenements: number
  /** See `loading/suggestions.ts`. */
  reason: string
  /** The name of the company, present or former, or of its subsidiary, that the holder's resembles. */
  similarName: string
}

/** Most tenements first, but those last whose reason is right least often. May throw Unavailable. @param asxCode as the company's record has it */
export type ReadSuggestedHolders = (
  asxCode: string,
  account: AccountId,
) => Promise<readonly SuggestedHolder[]>

/** The suggestions without those that an operator has decided since. */
export const undecided = `
  select s.* from suggested_links s where not exists (
    select from link_decisions d
    where d.holder_key = s.holder_key and (d.is_right or d.asx_code = s.asx_code)
  )`

export const createSuggestedHolders =
  (pool: ReadPool): ReadSuggestedHolders =>
  (asxCode, account) =>
    pool.runAlone(account, (db) =>
      db.$client.unsafe<SuggestedHolder[]>(
        `select suggestion -> 'holder' ->> 'name' as name,
           (suggestion -> 'holder' ->> 'tenements')::int as tenements,
           suggestion ->> 'reason' as reason, suggestion ->> 'similarName' as "similarName"
         from (${undecided}) s where asx_code = $1
         order by suggestion ->> 'reason' = 'same first words', position`,
        [asxCode],
      ),
    )
