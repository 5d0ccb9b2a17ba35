/**
 * Companies under temporary codes. During a consolidation or a scheme, the directory lists a company for
 * some days under its ordinary code with `D` and a letter, and lacks the ordinary one: `HGODB` for `HGO`.
 * The row gets the ordinary code before it is compared, so that the company stays listed, and keeps its
 * record and its tenements. Its name or its listing date, as any earlier file had them, identifies it.
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
  // A company that was listed beside its ordinary code is recognised by its names only, of today or of then.
  await sql.unsafe(
    `with found as (
       select distinct on (c.asx_code) s.asx_code as code, c.asx_code as ordinary, c.market_cap_aud
       from ${staged} s join ${table} c on c.asx_code = left(s.asx_code, -2)
         join listings l on l.asx_code = c.asx_code
         left join ${table} own on own.asx_code = s.asx_code
       where s.asx_code ~ '${pattern}' and not c.asx_code = any($1::text[])
         and not exists (select from ${staged} o where o.asx_code = c.asx_code)
         and (l.name_key in (s.name_key, own.name_key) or l.listing_date = s.listing_date and own.is_active is not true)
       order by c.asx_code, l.name_key = s.name_key desc, s.asx_code
     )
     update ${staged} s set asx_code = found.ordinary,
       market_cap_aud = coalesce(s.market_cap_aud, found.market_cap_aud)
     from found where s.asx_code = found.code`,
    [arrayLiteral(rejectedKeys)],
  )
  const keys = new Set(rejectedKeys.flatMap((key) => [key, ordinaryCodeOf(key)]))
  return { ...staging, rejectedKeys: [...keys] }
}
