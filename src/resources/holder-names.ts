/**
 * Which holders are shown where natural persons are not named (`HOLDER_NAMES=companies`): those whose
 * names are known to be of no person. Every other one is masked, so that what is not recognised names
 * nobody.
 */
import { type SQL, sql } from "drizzle-orm"
import { isImpersonal } from "./impersonal-names.ts"

export const holderNames = ["all", "companies"] as const
/** Which holders are shown by their names. */
export type HolderNames = (typeof holderNames)[number]

/** What is shown in place of a natural person. */
export const maskedHolder = "Individual"

/** The holders as they are shown. */
export const shownHolders = (holders: SQL): SQL =>
  masked(holders, maskedHolder, (name) => sql`lower(${name} collate "C")`)

/**
 * The text of folded holders in which a search may find something. Persons leave nothing in it: with the
 * word that is shown in their place, parts of that word would tell which letters the hidden name has.
 */
export const searchedHolders = (folded: SQL): SQL => masked(folded, "", (name) => name)

function masked(holders: SQL, mask: string, lowerCase: (name: SQL) => SQL): SQL {
  const name = sql`each.name`
  const isShown = isImpersonal(lowerCase(name))
  const hidden = sql.raw(`'${mask}'`)
  return sql`case
    when ${holders} not like '%;%'
      then case when ${isImpersonal(lowerCase(holders))} then ${holders} else ${hidden} end
    else (
      select string_agg(
        case when btrim(${name}) = '' or ${isShown} then ${name}
          when ${name} like ' %' then ' ' || ${hidden} else ${hidden} end,
        ';' order by each.place)
      from unnest(string_to_array(${holders}, ';')) with ordinality as each (name, place)) end`
}
