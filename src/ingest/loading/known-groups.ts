/**
 * The product's list of corporate groups: names of subsidiaries that hold tenements, with the listed company.
 * A row counts where its code and its listed name are those of a listed company, now or formerly, or of one
 * whose successors are listed. It makes suggestions and never links.
 */
import type { TransactionSql } from "postgres"
import { normaliseName, withoutLegalForm } from "../../data/resources/company-name.ts"
import list from "./known-groups.csv" with { type: "text" }
import { isSameCompany } from "./listings.ts"
import { successors } from "./name-owners.ts"
import type { KnownName } from "./suggestions.ts"

/** An expression for a `Company` over its row. */
export const knownCompany = (row: string): string =>
  `json_build_object('asx_code', ${row}.asx_code, 'company_name', ${row}.company_name, 'is_active', ${row}.is_active)`

/** The rows that count, by keys without a legal form. No value of the list has a comma. */
export async function knownGroupMembers(sql: TransactionSql): Promise<KnownName[]> {
  const [, ...rows] = list.trim().split(/\r?\n/)
  const listed = rows.map((row) => {
    const [code = "", company = "", name = ""] = row.split(",")
    return { code, listed: normaliseName(company), name, key: withoutLegalForm(name) }
  })
  return sql.unsafe<KnownName[]>(
    `with recursive ${successors}
     select g.name, g.key, false as "isFormer", ${knownCompany("c")} as company
     from jsonb_to_recordset($1::text::jsonb) as g (code text, listed text, name text, key text)
       join companies c on c.is_active and (
         c.asx_code = g.code and (c.name_key = g.listed or exists (
           select from listings l where (l.asx_code, l.name_key) = (g.code, g.listed)
             and ${isSameCompany("g.code", "c.listing_date", "l.listing_date")}))
         or (g.code, c.asx_code, g.listed) in (select asx_code, successor, key from inherited))`,
    [JSON.stringify(listed)],
  )
}
