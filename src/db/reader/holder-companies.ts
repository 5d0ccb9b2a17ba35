/**
 * The companies of a holder: those that its name links its tenements to, and those that it may belong to. They
 * are as of now and belong to no release.
 */
import type { ReadPool } from "../pool/pool.ts"
import type { AccountId } from "../pool/turns.ts"
import { undecided } from "./suggested-holders.ts"

export interface HolderCompany {
  code: string
  name: string
  /** Whether tenements are linked; otherwise the link is a suggestion. */
  isLinked: boolean
  /** The basis of a link (`name`, `former name`, `confirmed`, `subsidiary`, `declared`), or a suggestion's reason. */
  reason: string
  /** The name of the company, present or former, or of its subsidiary, that the holder's resembles. */
  similarName: string
}

/** Links first. May throw Unavailable. @param key of the holder's name */
export type ReadHolderCompanies = (
  key: string,
  account: AccountId,
) => Promise<readonly HolderCompany[]>

export const createHolderCompanies =
  (pool: ReadPool): ReadHolderCompanies =>
  (key, account) =>
    pool.runAlone(account, (db) => db.$client.unsafe<HolderCompany[]>(holderCompanies, [key]))

/** A link also comes from the codes that the company had before, and from its other listings. */
const holderCompanies = `
  select distinct c.asx_code as code, c.company_name as name, true as "isLinked", basis as reason, '' as "similarName"
  from companies c cross join lateral (
    select asx_code from companies o where o.name_key = c.name_key
    union select asx_code from listings where successor = c.asx_code
  ) own cross join lateral (
    select case when c.name_key = $1 then 'name' end
    union all select case when source = 'confirmed' then 'confirmed' else 'subsidiary' end
      from subsidiaries where name_key = $1 and parent_asx_code = own.asx_code
    union all select 'former name' from former_names where name_key = $1 and asx_code = own.asx_code
    union all select 'former name' from listings
      where $1 = any(name_keys) and asx_code = own.asx_code and successor = c.asx_code
  ) bases (basis)
  where basis is not null and c.asx_code in (
    select unnest(asx_codes) from tenements where holder_keys @> array[$1])
  union all
  select distinct c.asx_code, c.company_name, true, 'declared', ''
  from tenements t join link_keys l on l.key = t.number_key and l.basis = 'declared'
    join companies c on c.asx_code = l.asx_code
  where t.holder_keys @> array[$1]
  union all
  select * from (
    select s.asx_code, suggestion -> 'company' ->> 'company_name', false, suggestion ->> 'reason',
      suggestion ->> 'similarName'
    from (${undecided}) s where holder_key = $1 order by position) suggested`
