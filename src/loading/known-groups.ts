/**
 * The product's list of corporate groups: names of subsidiaries that hold tenements, with the listed company.
 * A row counts where its code and its listed name are those of a listed company, now or formerly, or of one
 * whose successors are listed. It makes suggestions and never links.
 */
import type { TransactionSql } from "postgres"
import { normaliseName } from "../resources/company-name.ts"
import list from "./known-groups.csv" with { type: "text" }
import { successors } from "./name-owners.ts"

interface GroupMember {
  /** The name of the subsidiary. */
  name: string
  /** The present code of its listed company. */
  asx_code: string
}

/** The rows that count. No value of the list has a comma. */
export async function knownGroupMembers(sql: TransactionSql): Promise<GroupMember[]> {
  const [, ...rows] = list.trim().split(/\r?\n/)
  const listed = rows.map((row) => {
    const [code = "", company = "", name = ""] = row.split(",")
    return { code, key: normaliseName(company), name }
  })
  const members = await sql.unsafe<GroupMember[]>(
    `with recursive ${successors}
     select g.name, c.asx_code
     from jsonb_to_recordset($1::text::jsonb) as g (code text, key text, name text)
       join companies c on c.is_active and (
         c.asx_code = g.code and c.name_key = g.key or exists (
           select from (
             select asx_code, listing_date, name_keys, asx_code as successor, listing_date as successor_date
             from listings
             union all select * from successors
           ) l where l.asx_code = g.code and g.key = any(l.name_keys)
             and l.successor = c.asx_code and l.successor_date = c.listing_date))`,
    [JSON.stringify(listed)],
  )
  return [...members]
}
