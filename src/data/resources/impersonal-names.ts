/**
 * Decides which names of holders are plainly those of companies or public bodies. A name may have several
 * parties, as `SMITH, Jane & GOLD PTY LTD` has: `&`, AND and numbers may not appear where a person's name may end.
 */
import { fold } from "../../system/text/fold.ts"

const anyOf = (words: string) => `(?:${words.trim().split(/\s+/).join("|")})`
const whole = (pattern: string) => new RegExp(`^(?:${pattern})$`)
const form = anyOf("pty proprietary ltd limited inc incorporated corp corporation plc llc gmbh")
/** Words that are not surnames. `gold` and `stone` are absent, because they are surnames too. */
const trade = anyOf(`
  mining mines? minerals? metals resources? explorations? prospecting drilling quarr(?:y|ies|ying) crushing
  civil gypsum concrete earthmov(?:ing|ers) equipment engineering contract(?:ing|ors) constructions?
  transport energy petroleum developments? industr(?:y|ies) investments holdings services operational`)
const ending = `(?:${form}|${trade})`
const isForm = whole(form)
const isTrade = whole(trade)
/** Words between two parties, unless they end a company's name: `GOLD NOMINEES PTY LTD`. */
const isRelation = whole(
  anyOf(`as by of for with per via trustees? agents? attorneys? execut(?:ors?|rix) administrators?
    nominees? directors? representatives? jointly severally deceased formerly atf obo aka a[bc]n arbn`),
)
const isPartner = whole(anyOf("co company sons? bros brothers associates partners"))
const isWord = /^(?:[a-z0-9'\u00df-\u00f6\u00f8-\u024f\u1e00-\u1eff]|[\u0300-\u036f]|\b-\b)+$/

/** Additions of registers, and parts of companies' names that look like a joint. */
const harmless = new RegExp(
  "(?: ?[*]| [(](?:a[bc]n [0-9 ]+|in liquidation|deregistered" +
    `|(?:${anyOf("receivers? managers? administrators? and &")} )+appointed)[)])+$` +
    "|^(?:acn|a c n) [0-9 ]+(?=(?:pty|ltd) )| [(]no [0-9]+[)](?= (?:[(]|pty))" +
    "| of (?:(?:western |south )?australia|queensland)(?= (?:pty )?(?:ltd|limited)$)",
  "g",
)
const inBrackets = new RegExp(` [(]([^()]*)[)](?= (?:${ending}|[(]))`, "g")
const company = whole(`.* (?:${form}|no liability|[^ ]+ [^ ]+ nl|${ending} (?:company|n l))`)
/** Places have one or two words, so that no person's name is beside them. */
const publicBody = whole(
  "the crown|minister for(?: (?:mines|energy|and))+|[a-z'-]{2,} [a-z'-]{2,} council" +
    "|(?:the )?(?:corporation of the )?(?:city|shire|district council) of [a-z'-]{2,}(?: [a-z'-]{2,})?",
)

/** A name and its folded form have the same result. */
export function isImpersonal(name: string): boolean {
  const spaced = fold(name).replace(/[.]/g, " ").replace(/[&+,]/g, " $& ").trim()
  const plain = spaced.replace(/ p\/l\b/g, " pty ltd").replace(/ +/g, " ")
  const bare = plain.replace(harmless, "").replace(inBrackets, " $1").trim()
  return publicBody.test(bare) || (company.test(` ${bare}`) && bare.split(/ +/).every(isSafe))
}

/** Whether no person's name can end at a word. */
function isSafe(word: string, at: number, words: readonly string[]): boolean {
  const [before = "", next = ""] = [words[at - 1], words[at + 1]]
  const isNumber = /^[0-9]+$/.test(word)
  if (isRelation.test(word)) return isForm.test(next)
  if (!isNumber && !["&", "+", "and", ","].includes(word)) return isWord.test(word)
  if (word === "," || isForm.test(before)) return isForm.test(before)
  const isFirst = words.slice(0, at).every(({ length }) => at === 1 || length === 1)
  if (isFirst || isTrade.test(before)) return true
  return isNumber ? isForm.test(next) && !/^[0-9]/.test(before) : isPartner.test(next)
}
