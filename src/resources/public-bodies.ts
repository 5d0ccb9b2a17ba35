/**
 * Which names of holders are of a public body as a whole, so that nobody's name stands beside it: places
 * are of one or two words, and ministers and departments are for what is known.
 */
import { type SQL, sql } from "drizzle-orm"

/** Latin letters outside ASCII, composed and not, in the brackets of a regular expression. */
export const otherLetters =
  "\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u024f\\u0300-\\u036f\\u1e00-\\u1eff\\u2c65\\u2c66"

const portfolio = `(?:${`
  mines mining minerals resources energy petroleum industry industries primary regional state development
  lands land planning transport infrastructure environment water agriculture forests fisheries health
  education works conservation parks heritage housing local government`
  .trim()
  .split(/\s+/)
  .join("|")})`

/** Longer than initials, which only persons have. */
const word = `[a-z${otherLetters}''-]{2,}`
const place = `(?:(?:new|port|tea tree) )?${word}(?: ${word})?`
/** Councils are named after places of two words, or of one that nobody is called by. */
const councilPlace = `(?:the )?(?:${word} ${word}|(?:${[
  "brighton|dorset|flinders|kentish|kingborough|latrobe|sorell|tasman",
  "glamorgan[ /-]spring bay|waratah[ /-]wynyard",
  "alexandrina|barossa|burwood|cabonne|hilltops|ku-ring-gai|mosman|strathfield|woollahra",
].join("|")}))`
const kinds = "(?: (?:city|town|shire|municipal|district|regional|rural|aboriginal|land))*"

const publicBody = `^(?:the crown|(?:the )?(?:${[
  `(?:corporation of the )?city of ${place}`,
  `(?:town|shire|council|commission|government|state|commonwealth|university) of ${place}`,
  `(?:district|regional|rural|aboriginal) council of ${place}`,
  `(?:minister|department) (?:for|of) ${portfolio}(?: (?:and )?${portfolio})*`,
  `${councilPlace}${kinds} council`,
  `${place}${kinds} (?:commission|authority|department|government|university)`,
].join("|")}))$`

/** Without which the slower test need not be made. */
const part =
  "{% of %,% for %,% council,the crown,% commission,% authority,% department,% government,% university}"

/** @param name in lower case, with blanks for full stops */
export const isPublicBody = (name: SQL): SQL =>
  sql`case when ${name} like any (${sql.raw(`'${part}'`)}) then ${name} ~ ${sql.raw(`'${publicBody}'`)}
    else false end`
