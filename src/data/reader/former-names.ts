/** Former names of companies and of their predecessors. They belong to no release. */

import type { ReadPool } from "../db/pool/pool.ts"
import type { AccountId } from "../db/pool/turns.ts"
import { normaliseName } from "../resources/company-name.ts"

interface FormerName {
  asx_code: string
  /** The name as a remark: a code may have passed to another company since. */
  formerly: string
}

export type ReadFormerNames = ReturnType<typeof createFormerNames>

const statement = `
  with names as (
    select asx_code, name, name_key, is_certain from former_names
    union all select asx_code, company_name, name_key, true from companies where successor is not null
  )
  select distinct on (c.asx_code) c.asx_code,
    case when n.is_certain then 'Formerly ' || n.name
      else 'Code used earlier by ' || n.name || case when exists (
          select from listings l
          where (l.asx_code, l.name_key, l.listing_date) = (c.asx_code, n.name_key, c.listing_date)
        ) then ': same listing date, rename not proven' else ': rename not proven' end
    end as formerly
  from names n join companies own on own.asx_code = n.asx_code
    join companies c on c.asx_code = coalesce(own.successor, own.asx_code)
  where n.name_key like $1 and n.name_key <> c.name_key
  order by c.asx_code, n.is_certain desc, n.name limit 20`

/** Finds companies by a part of such a name. May throw Unavailable. */
export const createFormerNames =
  (pool: ReadPool) =>
  async (term: string, account: AccountId): Promise<readonly FormerName[]> => {
    const key = normaliseName(term)
    if (key === "") return []
    return pool.runAlone(account, (db) => db.$client.unsafe<FormerName[]>(statement, [`%${key}%`]))
  }
