/** The companies of a tenement, with the basis of each link, at the newest release. */
import type { ReadPool } from "../pool/pool.ts"
import type { AccountId } from "../pool/turns.ts"

export interface TenementLink {
  code: string
  company: string
  /** `name`, `subsidiary`, `declared` or `confirmed`. */
  basis: string
  /** The interest in percent, the day and the report of a declaration, where it has them. */
  interest: number | null
  asAt: string | null
  url: string | null
}

/** By code. May throw Unavailable. @param id as the tenement's record has it */
export type ReadTenementLinks = (id: string, account: AccountId) => Promise<readonly TenementLink[]>

export const createTenementLinks =
  (pool: ReadPool): ReadTenementLinks =>
  (id, account) =>
    pool.runAlone(account, (db) =>
      db.$client.unsafe<TenementLink[]>(
        `select distinct l.asx_code as code, c.company_name as company, l.basis,
           d.interest_percent as interest, d.as_at::text as "asAt", d.url
         from tenements t join link_keys l on l.key = any(t.holder_keys || t.number_key)
           join companies c on c.asx_code = l.asx_code
           left join declared_tenements d on d.id = l.declaration
         where t.id = $1 order by 1, 3`,
        [id],
      ),
    )
