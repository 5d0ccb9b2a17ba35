/**
 * Which names of holders are known to be of no natural person, as an expression of PostgreSQL. It has
 * the same result for a name and for its folded form: what it looks for is ASCII, and any letter outside
 * ASCII is like any other.
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
 * A number between words joins as these do, but for the last: `MINERALS 260 HOLDINGS PTY LTD`. Any other
 * leaves the name unknown, as does whatever follows the last form, but for what the register adds.
 */
import { type SQL, sql } from "drizzle-orm"
import { isPublicBody, otherLetters } from "./public-bodies.ts"

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
/** What only comes between parties, unless it ends the name of a company: `GOLD NOMINEES PTY LTD`. */
const relating = wordsOf(`
  as by for with per via trustee trustees agent agents attorney attorneys executor executors executrix
  administrator administrators nominee nominees director directors representative representatives
  jointly severally deceased formerly`)
const abbreviations = wordsOf("atf obo aka acn abn arbn")
const related = [...relating, ...abbreviations, ...abbreviations.map((each) => [...each].join(" "))]
const continuing = wordsOf("co company son sons bros brothers associates partners")

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
  sql`(${name} ${likeAny(["% ltd", "% ltd.", "% limited"])} and rtrim(${name}, '.') !~ '[^a-z ''-]'
    and not ${name} ${likeAny([
      ...["% -%", "%- %"],
      ...[...listing, ...related].map((word) => `% ${word} %`),
    ])})`

function isKnown(written: SQL): SQL {
  // With blanks for full stops: `n.l.` is `n l`. The signs of Kelvin and angstrom are letters once folded.
  const blanked = sql`replace(translate(${written}, ${sql.raw("'.+\u212a\u212b', ' &kå'")}), '  ', ' ')`
  const trimmed = sql`rtrim(${blanked})`
  const bare = sql`case when ${trimmed} ${likeAny(["%)%", "%*"])}
    then regexp_replace(${trimmed}, ${notOfName}, '', 'g') else ${trimmed} end`
  const name = sql`plain.name`
  const known = sql`${endsAsCompany(name)} and not ${hasHarmfulJoint(name)} or ${isPublicBody(name)}`
  // Without OFFSET, it would be computed for each of the many tests.
  return sql`(select ${known} from (select ${bare} as name offset 0) as plain)`
}

/** Initials may look like a form: those of `SMITH N.L.` and `SMITH NL`. */
function endsAsCompany(name: SQL): SQL {
  return sql`(${name} ${ending(forms)}
    or ${name} like '% % nl'
    or ${name} ${likeAny(["% company", "% n l"])}
      and ${name} ${ending([...forms, ...trade].flatMap((word) => [`${word} company`, `${word} n l`]))})`
}

const states = `(?:${[
  "australia|australasia|western australia|south australia|queensland|new south wales|victoria",
  "tasmania|northern territory",
].join("|")})`
/** In brackets between words of a company's name. Some other places are also what people are called. */
const places = `(?:${[
  "australia|western australia|south australia|queensland|new south wales|tasmania|aust?|wa|w a|sa|qld",
  "nq|nsw|nt|pilbara|goldfields|kalgoorlie|yilgarn",
].join("|")})`
const officer = "(?:receivers?|managers?|administrators?|liquidators?|controllers?)"
/** What a register adds to the name of a company, at its end. */
const additions = [
  "(?:acn|abn|arbn)[ 0-9]+",
  "in (?:voluntary )?(?:liquidation|administration)|(?:in|under) (?:external administration|receivership)",
  "deregistered",
  `${officer}(?: (?:and|&) ${officer})* appointed`,
].join("|")
const notOfName = literal(
  `(?: *(?:[*]|[(](?:${additions})[)]))+$| *[(]${places}[)](?= [a-z])(?! (?:${listing.join("|")}) )`,
)

/**
 * Splits the name at its joints: words, numbers, brackets, and all that is neither a letter nor common in
 * the names of companies. The part after a joint that lists begins with `&`, that after a number with `#`.
 */
function hasHarmfulJoint(name: SQL): SQL {
  const { words, brackets, numbers } = rareJoints
  const marked = brackets(name, words(name, name))
  const listed = sql`regexp_replace(regexp_replace(${marked}, ${listingJoint}, ';&', 'g'), ${otherJoint}, ';', 'g')`
  const split = numbers(name, listed)
  const isHarmful = sql`exists (
    select from (
      select place, btrim(part, ' &#') as part, lead(part) over (order by place) as next
      from unnest(string_to_array(split, ';')) with ordinality as parts (part, place)
    ) each
    where next is not null and part not in ('', 'the', 'acn', 'a c n')
      and not ' ' || part ${ending(forms)}
      and not (next ~ '^[&#]' and (
        ' ' || part ${ending(trade)}
        or place = 1 and part ${isFirstWord}))
      and not (next like '&%'
        and btrim(next, ' &') || ' ' ${likeAny(continuing.map((word) => `${word} %`))}))`
  return sql`(select case when split like '%;%' then ${isHarmful} else false end
    from (select ${split} as split offset 0) as joined)`
}

const endsWord = (words: readonly string[]) => `(?:${words.join("|")}|company|nl|n l)(?![a-z])`
const beforeForm = `(?! ${endsWord(forms)})`

/** `SHELL CO. OF AUSTRALIA LTD` is one name. */
const listingJoint = literal(
  ` *&|(?<! p)/|/(?! ?l(?![^ ,]))| -+ |[ (]and(?= )|[ (]of(?= )(?! ${states} ${endsWord(forms)})`,
)

const otherJoint = literal(`[^a-z0-9 ;&/()'${otherLetters}-]|-+ | -+`)

/** As the name of a company goes on after a place in brackets: `GOLD (PILBARA) MINING PTY LTD`. */
const afterBrackets = ` *(?:${endsWord([...forms, ...trade])}|[(]|$)`

/** A long regular expression takes long for each name, and few names have what it is near. */
const rareJoint =
  (near: readonly string[], joint: string, mark = ";") =>
  (name: SQL, text: SQL): SQL =>
    sql`case when ${name} ${likeAny(near)}
      then regexp_replace(${text}, ${literal(joint)}, ${literal(mark)}, 'g') else ${text} end`

const phrases = ["trading as", "care of", "on behalf of"]
const digits = [..."0123456789"].map((digit) => `%${digit} %`)

const rareJoints = {
  words: rareJoint(
    [...related, ...phrases].flatMap((word) => [`% ${word} %`, `%(${word} %`]),
    `[ (](?:${related.join("|")})(?= )${beforeForm}|[ (](?:${phrases.join("|")})(?= )`,
  ),
  /** And the number of a company. */
  brackets: rareJoint(
    [...digits, "%(%", "%)%"],
    `[ (][0-9](?: *[0-9]){5,}|[(](?![^()]*[)]${afterBrackets})|[)](?!${afterBrackets})`,
  ),
  /** Any that does not end a name, as that of `GOLD NO 2 PTY LTD` does. */
  numbers: rareJoint(digits, `[ (][0-9]+(?= )(?! [0-9])${beforeForm}`, ";#"),
}

/** Or initials. */
const isFirstWord = sql.raw(`~ '^(?:[a-z0-9''-]+|[a-z](?: [a-z])*)$'`)
