/**
 * Which holders are shown where natural persons are not named (`HOLDER_NAMES=companies`). Registers have
 * no column for that, but they write companies with their endings and most persons as `SURNAME, Given`.
 * A holder is shown if its name is known to be of no person:
 *
 * - a form of incorporation stands in it as a word, with no comma after it: `SMITH, JONES & CO PTY LTD`
 *   is a company, `GOLD PTY LTD, Jane Smith` has a person;
 * - or it is a public body by a word of its name, and has no comma: `CROWN, Jane` is a person.
 *
 * Every other one is masked, so that what is not recognised names nobody. The rule is an expression of
 * PostgreSQL, which gives the same result for a name and for its folded form: all of it is ASCII.
 */
import { type SQL, sql } from "drizzle-orm"

export const holderNames = ["all", "companies"] as const
/** Which holders are shown by their names. */
export type HolderNames = (typeof holderNames)[number]

/** What is shown in place of a natural person. */
export const maskedHolder = "Individual"

const incorporated = [
  "pty",
  "proprietary",
  "ltd",
  "limited",
  "p/l",
  "nl",
  "no liability",
  "inc",
  "incorporated",
  "corp",
  "corporation",
  "company",
  "plc",
  "llc",
  "llp",
  "gmbh",
  "bhd",
  "pte",
]

const publicBodies = [
  "council",
  "shire",
  "city of",
  "minister",
  "department",
  "commission",
  "authority",
  "commonwealth",
  "government",
  "crown",
  "university",
]

/** In lower case and without full stops: `N.L.` is `nl`. */
const plain = (names: SQL): SQL => sql`lower(translate(${names} collate "C", '.', ''))`

/** A plain name has one of the words, and no comma after it. */
const has = (words: readonly string[], name: SQL): SQL =>
  sql`' ' || ${name} || ' ' ~ ${sql.raw(`'[[:space:](,&/-](?:${words.join("|")})[[:space:])&/-][^,]*$'`)}`

/** By its ending, which most companies have and which takes a tenth of the time, or by any of the words. */
const isShown = (name: SQL): SQL =>
  sql`(${plain(name)} like any ('{% ltd,% limited,% nl}') or ${has(incorporated, plain(name))}
    or (${name} not like '%,%' and ${has(publicBodies, plain(name))}))`

/** The holders as they are shown. */
export const shownHolders = (holders: SQL): SQL => masked(holders, maskedHolder)

/**
 * The text of holders in which a search may find something. Persons leave nothing in it: with the word
 * that is shown in their place, parts of that word would tell which letters the hidden name has.
 */
export const searchedHolders = (holders: SQL): SQL => masked(holders, "")

function masked(holders: SQL, mask: string): SQL {
  const name = sql`each.name`
  const hidden = sql.raw(`'${mask}'`)
  return sql`case
    when ${holders} not like '%;%' then case when ${isShown(holders)} then ${holders} else ${hidden} end
    else (
      select string_agg(
        case when btrim(${name}) = '' or ${isShown(name)} then ${name}
          when ${name} like ' %' then ' ' || ${hidden} else ${hidden} end,
        ';' order by each.place)
      from unnest(string_to_array(${holders}, ';')) with ordinality as each (name, place)) end`
}
