/**
 * Companies under temporary codes. During a consolidation or a scheme, the directory lists a company for
 * some days under its ordinary code with `D` and a letter, and lacks the ordinary one: `HGODB` for `HGO`.
 * The row gets the ordinary code before it is compared, so that the company stays listed, and keeps its
 * record and its tenements. `trading_as` recognises it where its name changes meanwhile.
 *
 * In a file with both codes, the longer one is a secondary listing, which is a company of its own; so is a
 * company whose ordinary code was never known.
 */
import { arrayLiteral } from "../../system/text/array-literal.ts"
import type { Staging } from "./staging.ts"

/** A possible temporary code, in PostgreSQL too. */
const pattern = "^[0-9A-Z]{3}D[A-Z]$"

/** The ordinary code of a possible temporary one; the code itself of any other. */
export const ordinaryCodeOf = (code: string): string =>
  new RegExp(pattern).test(code) ? code.slice(0, -2) : code

/**
 * Replaces the temporary codes of stored companies. The code of a rejected row may be the company's temporary
 * one, so that its ordinary code is returned among the rejected keys.
 */
export async function assignOrdinaryCodes(staging: Staging): Promise<Staging> {
  const { sql, staged, table, rejectedKeys } = staging
  // A row that lacks its date is no other company's.
  await sql.unsafe(
    `update ${staged} s set listing_date = c.listing_date from ${table} c
     where c.asx_code = s.asx_code and c.name_key = s.name_key and s.listing_date is null`,
  )
  const found = await sql.unsafe<{ code: string; ordinary: string }[]>(
    `with found as (
       select distinct on (c.asx_code) s.asx_code as code, c.asx_code as ordinary, c.market_cap_aud
       from ${staged} s join ${table} c on c.asx_code = left(s.asx_code, -2)
         left join ${table} own on own.asx_code = s.asx_code
       where s.asx_code ~ '${pattern}' and not c.asx_code = any($1::text[])
         and not exists (select from ${staged} o where o.asx_code = c.asx_code)
         and coalesce(c.listing_date = s.listing_date, true)
         and (c.name_key = s.name_key or own.is_active is not true and (
           c.trading_as = s.asx_code or not c.is_active
           or c.listing_date is null and s.listing_date is not null))
       order by c.asx_code, (c.trading_as = s.asx_code) desc nulls last, s.asx_code desc
     )
     update ${staged} s set asx_code = found.ordinary,
       market_cap_aud = coalesce(s.market_cap_aud, found.market_cap_aud)
     from found where s.asx_code = found.code returning found.code, found.ordinary`,
    [arrayLiteral(rejectedKeys)],
  )
  // Only loads read it, so it makes no version of the record.
  await sql.unsafe(
    `update ${table} t set trading_as = f.code
     from ${staged} s left join jsonb_to_recordset($1::text::jsonb) as f (code text, ordinary text)
       on f.ordinary = s.asx_code
     where t.asx_code = s.asx_code and t.trading_as is distinct from f.code`,
    [JSON.stringify(found)],
  )
  const keys = new Set(rejectedKeys.flatMap((key) => [key, ordinaryCodeOf(key)]))
  return { ...staging, rejectedKeys: [...keys] }
}
