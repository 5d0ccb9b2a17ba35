/**
 * Suggests companies for unlinked holders by the words that their names share. A person must decide: a
 * name with a place in brackets is mostly a subsidiary's, and sometimes one that has been sold.
 *
 * The words of the holder's name must be those of the company's, or begin it where the rest is a place in
 * brackets. Few companies may have these words. One shared word is enough only if the listed name has no
 * other of its own: `Iluka (Eucla Basin)` is Iluka Resources, while `Cape (Flattery)` is not Cape Lambert
 * Resources.
 */
import {
  distinctiveWords,
  hasEnding,
  withoutBrackets,
  withoutLegalForm,
} from "../../data/resources/company-name.ts"
import type { UnlinkedHolder } from "./unlinked.ts"

/** Best first. */
export const reasons = [
  "known group",
  "former name",
  "place in brackets",
  "another ending",
] as const
export type Reason = (typeof reasons)[number]

/**
 * How often suggestions of each reason were right, as a person who knows the companies judged them for
 * `judgedFiles`. Uncertain ones count as wrong.
 */
const judged: Readonly<Record<Reason, readonly [right: number, of: number]>> = {
  "known group": [86, 87],
  "former name": [5, 7],
  "place in brackets": [37, 40],
  "another ending": [22, 26],
}

export const judgedFiles =
  "judged by hand for registers of Western Australia (part, 2021), Queensland and South Australia and the directory of August 2026"

/** `right in 22 of 26` */
export const judgement = (reason: Reason): string =>
  `right in ${judged[reason][0]} of ${judged[reason][1]}`

export interface Company {
  asx_code: string
  company_name: string
  is_active: boolean
}

/** A name of a company, present or former, of a subsidiary or of a confirmed holder. */
export interface KnownName {
  name: string
  key: string
  company: Company
  isFormer: boolean
}

/**
 * For each holder, in their order, at most three companies, the best first.
 * @param members the names of known groups, whose keys have no legal form
 */
export function suggestCompanies(
  holders: readonly UnlinkedHolder[],
  names: readonly KnownName[],
  members: readonly KnownName[],
) {
  const index = indexOf(names, members, holders)
  return holders.flatMap((holder) => suggestionsFor(holder, index))
}

const maxSuggestions = 3

/** Words that begin the names of more companies than this identify none. */
const maxCompanies = 3

interface Entry extends KnownName {
  words: readonly string[]
}

type Index = ReturnType<typeof indexOf>

function indexOf(
  names: readonly KnownName[],
  members: readonly KnownName[],
  holders: readonly UnlinkedHolder[],
) {
  const entries = names.map(toEntry).filter(({ words }) => words.length > 0)
  const ofHolders = holders.filter(({ name }) => !isPerson(name)).map(({ name }) => wordsOf(name))
  const later = [...entries.map(({ words }) => words), ...ofHolders].map((words) => words.slice(1))
  const namesWith = countEach(later)
  const ofCompanies = Map.groupBy(entries, ({ company }) => company.asx_code)
  const companiesWith = countEach(
    [...ofCompanies.values()].map((ofOne) => ofOne.flatMap(({ words }) => words)),
  )
  const maxRare = Math.max(2, (names.length + holders.length) / 2000)
  const minCommon = Math.max(2, ofCompanies.size / 100)
  return {
    membersByKey: Map.groupBy(members.map(toEntry), ({ key }) => key),
    formerByKey: Map.groupBy(
      entries.filter(({ isFormer }) => isFormer),
      ({ key }) => key,
    ),
    byFirstWord: Map.groupBy(entries, ({ words }) => words[0] ?? ""),
    /** Whether a word occurs almost only at the beginning of names. */
    isRare: (word: string) => (namesWith.get(word) ?? 0) <= maxRare,
    /** Whether many companies have a word in their names, such as RESOURCES. */
    isCommon: (word: string) => (companiesWith.get(word) ?? 0) >= minCommon,
  }
}

const toEntry = (known: KnownName): Entry => ({ ...known, words: wordsOf(known.name) })

/** By word, the number of lists that have it. */
function countEach(lists: readonly (readonly string[])[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const words of lists) {
    for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}

const wordsOf = (name: string) => distinctiveWords(withoutBrackets(name))

/** `SURNAME, Given`, without a company's ending. */
const isPerson = (name: string) => name.includes(",") && !hasEnding(name)

interface Match {
  entry: Entry
  reason: Reason
}

/** `similarName` is the known name that the holder's resembles. */
function suggestionsFor(holder: UnlinkedHolder, index: Index) {
  if (isPerson(holder.name)) return []
  const words = wordsOf(holder.name)
  const [first = ""] = words
  const equal = (reason: Reason, entries: readonly Entry[] = []): Match[] =>
    entries.map((entry) => ({ entry, reason }))
  const inGroups = equal("known group", index.membersByKey.get(withoutLegalForm(holder.name)))
  const former = equal("former name", index.formerByKey.get(holder.key))
  const alike = (index.byFirstWord.get(first) ?? []).flatMap((entry): Match[] => {
    const reason = reasonFor(holder.name, words, entry)
    return reason === null ? [] : [{ entry, reason }]
  })
  const sameWords = alike.filter(({ entry }) => entry.words.length === words.length)
  const matches = [...inGroups, ...former, ...sameWords, ...telling(alike, words, index)]
  const ofCompanies = Map.groupBy(matches.sort(bestFirst), ({ entry }) => entry.company.asx_code)
  return [...ofCompanies.values()]
    .flatMap(([best]) => best ?? [])
    .slice(0, maxSuggestions)
    .map(({ entry: { name, company }, reason }) => ({ holder, company, reason, similarName: name }))
}

/** The matches, if the words of the holder identify few companies. */
function telling(
  alike: readonly Match[],
  words: readonly string[],
  { isRare, isCommon }: Index,
): readonly Match[] {
  if (new Set(alike.map(({ entry }) => entry.company.asx_code)).size > maxCompanies) return []
  if (words.length > 1) return alike
  return words.every(isRare)
    ? alike.filter(({ entry }) => entry.words.slice(1).every(isCommon))
    : []
}

/** Null where the words of the holder do not begin the other name, or do without a place in brackets. */
function reasonFor(
  holder: string,
  words: readonly string[],
  { name, words: others }: Entry,
): Reason | null {
  if (words.some((word, index) => word !== others[index])) return null
  if (hasPlace(holder)) return "place in brackets"
  if (words.length < others.length) return null
  return hasPlace(name) ? "place in brackets" : "another ending"
}

/** Whether its brackets contain more than an ending. */
const hasPlace = (name: string) => distinctiveWords(name).length > wordsOf(name).length

const bestFirst = (a: Match, b: Match): number =>
  reasons.indexOf(a.reason) - reasons.indexOf(b.reason) ||
  Number(b.entry.company.is_active) - Number(a.entry.company.is_active) ||
  compareText(a.entry.company.asx_code, b.entry.company.asx_code) ||
  compareText(a.entry.name, b.entry.name)

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
