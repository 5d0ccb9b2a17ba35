/**
 * Companies under temporary codes. During a consolidation or a scheme, the directory lists a company for
 * some days under its ordinary code with `D` and a letter, and lacks the ordinary one: `HGODB` for `HGO`.
 * The row gets the ordinary code before it is compared, so that the company stays listed, and keeps its
 * record and its tenements.
 *
 * In a file with both codes, the longer one is a secondary listing, which is a company of its own. The load
 * removes that company once the ordinary code is gone and the longer one has its name and listing date.
 */
import { getTableName } from "drizzle-orm"
import type { PgTable } from "drizzle-orm/pg-core"
import type { TransactionSql } from "postgres"
import { companies, reports, subsidiaries } from "../db/schema.ts"
import { isTemporaryCode, temporaryCodePattern } from "../resources/values.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import { keepInHistory, withoutFile } from "./history.ts"
import type { Load } from "./load-options.ts"
import type { Staging } from "./staging.ts"

/**
 * Returns how many companies ended because their codes are another company's temporary ones.
 * @param going a query of the ordinary codes that this load would deactivate
 */
export async function assignOrdinaryCodes(
  { sql, source, staged, table }: Staging,
  { noted, rejectedKeys }: Load,
  release: number,
  going = "select null",
): Promise<number> {
  // A row that lacks its date is no other company's.
  await sql.unsafe(
    `update ${staged} s set listing_date = c.listing_date from ${table} c
     where c.asx_code = s.asx_code and c.name_key = s.name_key and s.listing_date is null`,
  )
  const found = await sql.unsafe<{ code: string; ordinary: string }[]>(
    `with found as (
       select distinct on (f.ordinary) s.asx_code as code, f.ordinary, c.market_cap_aud
       from ${staged} s cross join lateral left(s.asx_code, -2) as f (ordinary)
         left join ${table} c on c.asx_code = f.ordinary
       where s.asx_code ~ '${temporaryCodePattern}' and not f.ordinary = any($1::text[])
         and not exists (select from ${staged} o where o.asx_code = f.ordinary)
         and (f.ordinary in (${going}) or not exists (
           select from ${table} own where own.asx_code = s.asx_code and own.is_active))
         and (c.is_active is not true or coalesce(c.listing_date = s.listing_date, true)
           and (c.trading_as = s.asx_code or c.name_key = s.name_key
             or c.listing_date is null and s.listing_date is not null))
       order by f.ordinary, (c.trading_as = s.asx_code) desc nulls last, s.asx_code desc
     )
     update ${staged} s set asx_code = found.ordinary, trading_as = found.code,
       market_cap_aud = coalesce(s.market_cap_aud, found.market_cap_aud)
     from found where s.asx_code = found.code returning found.code, found.ordinary`,
    [arrayLiteral(rejectedKeys)],
  )
  // A row that is rejected under a temporary code may be the company's too.
  rejectedKeys.push(...rejectedKeys.filter(isTemporaryCode).map((key) => key.slice(0, -2)))
  if (found.length === 0) return 0
  for (const { ordinary } of found) noted.see(ordinary)
  const isEnded = "t.asx_code = any($1::text[]) and t.source = $2"
  const { count } = await sql.unsafe(
    `with kept as (${keepInHistory(companies, isEnded, "$3")}) delete from ${table} t where ${isEnded}`,
    [arrayLiteral(found.map(({ code }) => code)), source, release],
  )
  return count
}

/** Records the releases between which the codes are valid, and the companies of records with such codes. */
export async function recordTemporaryCodes(sql: TransactionSql, release: number): Promise<void> {
  await sql.unsafe(
    `with ended as (
       update temporary_codes t set until_release = $1
       where until_release is null and not exists (
         select from companies c where c.asx_code = t.asx_code and c.trading_as = t.code and c.is_active)
     )
     insert into temporary_codes (code, asx_code, since_release)
     select c.trading_as, c.asx_code, $1 from companies c
     where c.is_active and c.trading_as is not null and not exists (
       select from temporary_codes t where t.code = c.trading_as and t.until_release is null)`,
    [release],
  )
  await storeOrdinaryCodes(sql, reports, "hash", "asx_code", release)
  await storeOrdinaryCodes(sql, subsidiaries, "id", "parent_asx_code", release)
}

/** A company that has the code of its own keeps its records. */
async function storeOrdinaryCodes(
  sql: TransactionSql,
  table: PgTable,
  key: string,
  code: string,
  release: number,
): Promise<void> {
  const name = getTableName(table)
  await sql.unsafe(
    `with moved as materialized (
       select r.${key} as key, t.asx_code
       from ${name} r left join (
         select distinct code, asx_code from temporary_codes
         where code not in (select asx_code from companies)
       ) t on t.code = r.${code}
       where (r.company_code = any(array(select code from temporary_codes))
         or r.ordinary_code is not null) and r.ordinary_code is distinct from t.asx_code
     ), kept as (${keepInHistory(table, `t.${key} in (select key from moved)`, "$1")})
     update ${name} r set ordinary_code = moved.asx_code, ${withoutFile("$1")}
     from moved where r.${key} = moved.key`,
    [release],
  )
}
