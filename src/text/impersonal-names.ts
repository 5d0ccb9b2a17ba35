/**
 * Decides which names of holders are known to belong to no natural person. The words of the rule are ASCII;
 * all other letters count alike.
 *
 * A name may have several parties: `SMITH, Jane & GOLD PTY LTD`, `JANE SMITH ATF GOLD PTY LTD`. So it must
 * end like a company's name, and no joint before may connect a person with the company. Names of companies
 * contain joints themselves. A joint is harmless after a form of incorporation, which ends a company's name:
 * `GOLD PTY LTD AS TRUSTEE FOR IRON LIMITED`. A joint that only lists is also harmless
 *
 * - after a word of the trade: `GOLD MINING AND TIN LIMITED`;
 * - after the first word or initials: `WEBB & HALL LIMITED`, `A & B WEBB PTY LTD`;
 * - before CO, SONS and the like: `MARY WEBB & CO PTY LTD`.
 *
 * A number between words counts as a listing joint, but not before CO and the like: `MINERALS 260 HOLDINGS
 * PTY LTD`. With any other joint the name is unknown, as with words after the last form that no register adds.
 */

const wordsOf = (text: string): string[] => text.trim().split(/\s+/)

const forms = [
  ...wordsOf(
    "pty proprietary ltd limited inc incorporated corp corporation plc llc llp gmbh bhd pte p/l",
  ),
  "no liability",
]

/** Words of the trade that are no surnames. `gold` and `stone` are surnames. */
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

/** The result is the same for a name and its folded form. */
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
/** Places in brackets between words of a company's name. Other places are also names of people. */
const places = `(?:${[
  "australia|western australia|south australia|queensland|new south wales|tasmania|aust?|wa|w a|sa|qld",
  "nq|nsw|nt|pilbara|goldfields|kalgoorlie|yilgarn",
].join("|")})`
const officer = "(?:receivers?|managers?|administrators?|liquidators?|controllers?)"
/** Additions of registers at the end of a company's name. */
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

/** The initials of `SMITH N.L.` and `SMITH NL` look like a form. */
const companyEnd = new RegExp(
  ` (?:${anyOf(forms)}|.* nl|${anyOf([...forms, ...trade])} (?:company|n l))$`,
  "s",
)

const endsWord = (words: readonly string[]) =>
  `${anyOf([...words, "company", "nl", "n l"])}(?![a-z])`
const beforeForm = `(?! ${endsWord(forms)})`
/** The rest of a company's name after a place in brackets: `GOLD (PILBARA) MINING PTY LTD`. */
const afterBrackets = ` *(?:${endsWord([...forms, ...trade])}|[(]|$)`

/** Joints that only occur between parties: words, then brackets and the number of a company. */
const relatingJoint = new RegExp(
  `[ (]${anyOf(related)}(?= )${beforeForm}|[ (](?:trading as|care of|on behalf of)(?= )`,
  "g",
)
const bracketsJoint = new RegExp(
  `[ (][0-9](?: *[0-9]){5,}|[(](?![^()]*[)]${afterBrackets})|[)](?!${afterBrackets})`,
  "g",
)

/** Joints that list, also in names of companies. `SHELL CO. OF AUSTRALIA LTD` is one name. */
const listingJoint = new RegExp(
  ` *&|(?<! p)/|/(?! ?l(?![^ ,]))| -+ |[ (]and(?= )|[ (]of(?= )(?! ${states} ${endsWord(forms)})`,
  "g",
)

/** Characters that are neither letters nor common in names of companies. */
const otherJoint = new RegExp(`[^a-z0-9 ;&/()'${otherLetters}-]|-+ | -+`, "gu")

/** Numbers within a name. The number of `GOLD NO 2 PTY LTD` ends it. */
const numberJoint = new RegExp(`[ (][0-9]+(?= )(?! [0-9])${beforeForm}`, "g")

const formEnd = new RegExp(` ${anyOf(forms)}$`)
const tradeEnd = new RegExp(` ${anyOf(trade)}$`)
const continuation = /^&[ &]*(?:co|company|sons?|bros|brothers|associates|partners)(?: |$)/
/** The first word of a name, or its initials. */
const firstWord = /^(?:[a-z0-9'-]+|[a-z](?: [a-z])*)$/

/** Splits the name at its joints. The part after a listing joint begins with `&`, the part after a number with `#`. */
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

/** A word that is longer than an initial, since only persons have initials. */
const word = `[a-z${otherLetters}'-]{2,}`
const place = `(?:(?:new|port|tea tree) )?${word}(?: ${word})?`
/** A place of two words, or of one word that is no name of persons. */
const councilPlace = `(?:the )?(?:${word} ${word}|(?:${[
  "brighton|dorset|flinders|kentish|kingborough|latrobe|sorell|tasman",
  "glamorgan[ /-]spring bay|waratah[ /-]wynyard",
  "alexandrina|barossa|burwood|cabonne|hilltops|ku-ring-gai|mosman|strathfield|woollahra",
].join("|")}))`
const kinds = "(?: (?:city|town|shire|municipal|district|regional|rural|aboriginal|land))*"

/**
 * Matches a name that is a public body as a whole, without a person's name beside it: places have one or two
 * words, and ministers and departments a known portfolio.
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
