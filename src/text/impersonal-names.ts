/**
 * Which names of holders are known to be of no natural person. The rule looks for ASCII text: any letter
 * outside ASCII is like any other.
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

/** What only comes between parties, unless it ends the name of a company: `GOLD NOMINEES PTY LTD`. */
const relating = wordsOf(`
  as by for with per via trustee trustees agent agents attorney attorneys executor executors executrix
  administrator administrators nominee nominees director directors representative representatives
  jointly severally deceased formerly`)
const abbreviations = wordsOf("atf obo aka acn abn arbn")
const related = [...relating, ...abbreviations, ...abbreviations.map((each) => [...each].join(" "))]

/** Latin letters outside ASCII, composed and not, in the brackets of a regular expression. */
const otherLetters =
  "\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u024f\\u0300-\\u036f\\u1e00-\\u1eff\\u2c65\\u2c66"

const anyOf = (words: readonly string[]) => `(?:${words.join("|")})`

/** @param name as written, or folded: the result is the same */
export function isImpersonal(name: string): boolean {
  // With blanks for full stops: `n.l.` is `n l`. The signs of Kelvin and angstrom are letters once folded.
  const plain = name
    .replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
    .replaceAll(".", " ")
    .replaceAll("+", "&")
    .replaceAll("\u212a", "k")
    .replaceAll("\u212b", "å")
    .replaceAll("  ", " ")
    .replace(/ +$/, "")
    .replace(notOfName, "")
  return (companyEnd.test(plain) && !hasHarmfulJoint(plain)) || publicBody.test(plain)
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
const notOfName = new RegExp(
  `(?: *(?:[*]|[(](?:${additions})[)]))+$| *[(]${places}[)](?= [a-z])(?! (?:and|of) )`,
  "g",
)

/** Initials may look like a form: those of `SMITH N.L.` and `SMITH NL`. */
const companyEnd = new RegExp(
  ` (?:${anyOf(forms)}|.* nl|${anyOf([...forms, ...trade])} (?:company|n l))$`,
  "s",
)

const endsWord = (words: readonly string[]) =>
  `${anyOf([...words, "company", "nl", "n l"])}(?![a-z])`
const beforeForm = `(?! ${endsWord(forms)})`
/** As the name of a company goes on after a place in brackets: `GOLD (PILBARA) MINING PTY LTD`. */
const afterBrackets = ` *(?:${endsWord([...forms, ...trade])}|[(]|$)`

/** What only comes between parties: words, then brackets and the number of a company. */
const relatingJoint = new RegExp(
  `[ (]${anyOf(related)}(?= )${beforeForm}|[ (](?:trading as|care of|on behalf of)(?= )`,
  "g",
)
const bracketsJoint = new RegExp(
  `[ (][0-9](?: *[0-9]){5,}|[(](?![^()]*[)]${afterBrackets})|[)](?!${afterBrackets})`,
  "g",
)

/** What lists, in the names of companies too. `SHELL CO. OF AUSTRALIA LTD` is one name. */
const listingJoint = new RegExp(
  ` *&|(?<! p)/|/(?! ?l(?![^ ,]))| -+ |[ (]and(?= )|[ (]of(?= )(?! ${states} ${endsWord(forms)})`,
  "g",
)

/** All that is neither a letter nor common in the names of companies. */
const otherJoint = new RegExp(`[^a-z0-9 ;&/()'${otherLetters}-]|-+ | -+`, "gu")

/** Any number that does not end a name, as that of `GOLD NO 2 PTY LTD` does. */
const numberJoint = new RegExp(`[ (][0-9]+(?= )(?! [0-9])${beforeForm}`, "g")

const formEnd = new RegExp(` ${anyOf(forms)}$`)
const tradeEnd = new RegExp(` ${anyOf(trade)}$`)
const continuation = /^&[ &]*(?:co|company|sons?|bros|brothers|associates|partners)(?: |$)/
/** Or initials. */
const firstWord = /^(?:[a-z0-9'-]+|[a-z](?: [a-z])*)$/

/** Splits the name at its joints. The part after a joint that lists begins with `&`, that after a number with `#`. */
function hasHarmfulJoint(name: string): boolean {
  const parts = name
    .replace(relatingJoint, ";")
    .replace(bracketsJoint, ";")
    .replace(listingJoint, ";&")
    .replace(otherJoint, ";")
    .replace(numberJoint, ";#")
    .split(";")
  return parts.some((written, place) => {
    const next = parts[place + 1]
    const part = written.replace(/^[ &#]+|[ &#]+$/g, "")
    if (next === undefined || ["", "the", "acn", "a c n"].includes(part)) return false
    if (formEnd.test(` ${part}`)) return false
    if (!/^[&#]/.test(next)) return true
    const isHarmless = tradeEnd.test(` ${part}`) || (place === 0 && firstWord.test(part))
    return !isHarmless && !continuation.test(next)
  })
}

const portfolio = anyOf(
  wordsOf(`
    mines mining minerals resources energy petroleum industry industries primary regional state
    development lands land planning transport infrastructure environment water agriculture forests
    fisheries health education works conservation parks heritage housing local government`),
)

/** Longer than initials, which only persons have. */
const word = `[a-z${otherLetters}'-]{2,}`
const place = `(?:(?:new|port|tea tree) )?${word}(?: ${word})?`
/** Councils are named after places of two words, or of one that nobody is called by. */
const councilPlace = `(?:the )?(?:${word} ${word}|(?:${[
  "brighton|dorset|flinders|kentish|kingborough|latrobe|sorell|tasman",
  "glamorgan[ /-]spring bay|waratah[ /-]wynyard",
  "alexandrina|barossa|burwood|cabonne|hilltops|ku-ring-gai|mosman|strathfield|woollahra",
].join("|")}))`
const kinds = "(?: (?:city|town|shire|municipal|district|regional|rural|aboriginal|land))*"

/**
 * A public body as a whole, so that nobody's name stands beside it: places are of one or two words, and
 * ministers and departments are for what is known.
 */
const publicBody = new RegExp(
  `^(?:the crown|(?:the )?${anyOf([
    `(?:corporation of the )?city of ${place}`,
    `(?:town|shire|council|commission|government|state|commonwealth|university) of ${place}`,
    `(?:district|regional|rural|aboriginal) council of ${place}`,
    `(?:minister|department) (?:for|of) ${portfolio}(?: (?:and )?${portfolio})*`,
    `${councilPlace}${kinds} council`,
    `${place}${kinds} (?:commission|authority|department|government|university)`,
  ])})$`,
  "u",
)
