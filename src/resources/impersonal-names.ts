/**
 * Which names of holders are known to be of no natural person, as an expression of PostgreSQL. It has
 * the same result for a name and for its folded form: all that it looks for is ASCII.
 *
 * A name may be of several parties: `SMITH, Jane & GOLD PTY LTD`, `JANE SMITH ATF GOLD PTY LTD`. So it
 * has to end as a company's name does, and nothing before may join a person to the company. Names of
 * companies contain such joints themselves. One is harmless after a form of incorporation, where a company
 * ends: `GOLD PTY LTD AS TRUSTEE FOR IRON LIMITED`. One that only lists is also harmless
 *
 * - after a word of the trade: `GOLD MINING AND TIN LIMITED`;
 * - after the first word or initials: `WEBB & HALL LIMITED`, `A & B WEBB PTY LTD`;
 * - before CO, SONS and the like: `MARY WEBB & CO PTY LTD`.
 *
 * Any other leaves the name unknown, as does whatever follows the last form.
 */
import { type SQL, sql } from "drizzle-orm"

const wordsOf = (text: string): string[] => text.trim().split(/\s+/)

const forms = [
  ...wordsOf(
    "pty proprietary ltd limited inc incorporated corp corporation plc llc llp gmbh bhd pte p/l",
  ),
  "no liability",
]

/** Words of the trade that are nobody's surname, as `gold` and `stone` are. */
const trade = wordsOf(`
  mining mine mines mineral minerals metals resource resources exploration explorations prospecting
  drilling quarry quarries quarrying crushing civil concrete gypsum earthmoving earthmovers equipment
  engineering contracting contractors construction constructions transport haulage energy petroleum
  development developments industry industries investments holdings services supplies operational`)

/** What lists, in the names of companies too. */
const listing = ["and", "of"]
/** What only comes between parties. */
const relating = wordsOf("as atf by for with trustee trustees")
const continuing = wordsOf("co company son sons bros brothers associates partners")

const publicBodies = wordsOf(
  "city town shire council department commission government state commonwealth university",
)
const bodyBegins = [
  ...publicBodies.map((body) => `${body} of`),
  ...wordsOf("district regional rural aboriginal").map((kind) => `${kind} council of`),
  "corporation of the city of",
  "minister for",
  "department for",
]
const bodyEnds = wordsOf("commission authority department government university")

const literal = (text: string): SQL => sql.raw(`'${text.replaceAll("'", "''")}'`)
const likeAny = (patterns: readonly string[]): SQL =>
  sql`like any (${literal(`{${patterns.map((each) => `"${each}"`)}}`)})`
const ending = (ends: readonly string[]) => likeAny(ends.map((end) => `% ${end}`))

/**
 * Whether the name is known to be of no natural person.
 * @param name in lower case, at least of ASCII letters
 */
export const isImpersonal = (name: SQL): SQL => sql`(${isPlainCompany(name)} or ${isKnown(name)})`

/** Most companies, in a tenth of the time: they have the commonest end, and nothing that may be a joint. */
const isPlainCompany = (name: SQL): SQL =>
  sql`(${name} ${likeAny(["% ltd", "% ltd.", "% limited"])} and ${name} !~ '[^a-z0-9 .()''-]'
    and not ${name} ${likeAny([
      ...["% -%", "%- %"],
      ...[...listing, ...relating].flatMap((word) => [`% ${word} %`, `%(${word} %`]),
    ])})`

function isKnown(written: SQL): SQL {
  // With blanks for full stops: `n.l.` is `n l`. The Kelvin sign is a k once it is folded.
  const blanked = sql`replace(translate(${written}, ${sql.raw("'.\u212a', ' k'")}), '  ', ' ')`
  const name = sql`plain.name`
  const known = sql`${endsAsCompany(name)} and not ${hasHarmfulJoint(name)} or ${isPublicBody(name)}`
  // Without OFFSET, it would be computed for each of the many tests.
  return sql`(select ${known} from (select rtrim(${blanked}) as name offset 0) as plain)`
}

/** Initials may look like a form: those of `SMITH N.L.` and `SMITH NL`. */
function endsAsCompany(name: SQL): SQL {
  const ends = (text: SQL) => sql`(${text} ${ending(forms)}
    or ${text} like '% % nl'
    or ${text} ${likeAny(["% company", "% n l"])}
      and ${text} ${ending([...forms, ...trade].flatMap((word) => [`${word} company`, `${word} n l`]))})`
  return sql`(${ends(name)} or ${name} like '%)' and ${ends(sql`regexp_replace(${name}, ${afterName}, '')`)})`
}

/** What may follow the name of a company, in brackets. */
const afterName = literal(
  " *[(](?:(?:acn|abn|arbn)[ 0-9]+|in liquidation|in administration|deregistered|administrators? appointed)[)]$",
)

/**
 * Splits the name at its joints: punctuation, which blanks other than spaces are too, and words. A Greek
 * question mark is a semicolon once it is folded. The part after a joint that lists begins with `&`.
 */
function hasHarmfulJoint(name: SQL): SQL {
  const split = sql`regexp_replace(regexp_replace(${name}, ${listingJoint}, ';&', 'g'), ${otherJoint}, ';', 'g')`
  return sql`exists (
    select from (
      select place, btrim(part, ' &') as part, lead(part) over (order by place) as next
      from unnest(string_to_array(${split}, ';')) with ordinality as parts (part, place)
    ) each
    where next is not null and part not in ('', 'the')
      and not ' ' || part ${ending(forms)}
      and not (next like '&%' and (
        ' ' || part ${ending(trade)}
        or btrim(next, ' &') || ' ' ${likeAny(continuing.map((word) => `${word} %`))}
        or place = 1 and part ${isFirstWord})))`
}

const listingJoint = literal(
  ` *&|(?<! p)/|/(?! ?l(?![^ ,]))| -+ |[ (](?:${listing.join("|")})(?= )`,
)
const otherJoint = literal(
  `[],:|+[\\u0001-\\u001f\\u00a0\\u2000-\\u206f\\u3000\\u037e\\ufeff]|-+ | -+|[ (](?:${relating.join("|")}|c/[-o]|t/a|trading as|care of|on behalf of)(?= )`,
)
/** Or initials. */
const isFirstWord = sql.raw(`~ '^(?:[a-z0-9''-]+|[a-z](?: [a-z])*)$'`)

/** No joint is harmless in the name of a public body. */
function isPublicBody(name: SQL): SQL {
  const begins = likeAny(bodyBegins.flatMap((begin) => [`${begin} %`, `the ${begin} %`]))
  const begin = literal(`^(?:the )?(?:${bodyBegins.join("|")}) `)
  const isWithout = (rest: SQL) => sql`${rest} !~ ${otherJoint} and ${rest} !~ ${listingJoint}`
  return sql`${name} not like all ('{"%,%","%(%"}') and (${name} = 'the crown'
    or ${name} ${begins} and ${isWithout(sql`regexp_replace(${name}, ${begin}, '')`)}
    or (${name} ${ending(bodyEnds)} or ${name} like '% % council') and ${isWithout(name)})`
}
