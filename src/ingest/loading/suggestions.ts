/**
 * Suggests companies for unlinked holders by the words that their names share. A person must decide: a
 * name with a place in brackets is mostly a subsidiary's, and sometimes one that has been sold.
 *
 * Shared words count only at the beginning of two names, where few companies have them: `BHP Coal` is
 * BHP's, while names that share KALGOORLIE, or a word in their middle, are unrelated. One shared word is
 * enough only if the listed name has no other of its own: `Iluka (Eucla Basin)` is Iluka Resources, while
 * `Cape Flattery` is not Cape Lambert Resources. A company's code is enough too: `FMG Pilbara` is
 * Fortescue, whose code is FMG.
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
  "company code",
  "same first words",
] as const
export type Reason = (typeof reasons)[number]

/**
 * How often suggestions of each reason were right, as a person who knows the companies judged them for
 * `judgedFiles`: the 50 of `same first words` with the most tenements, and all of the others. Uncertain ones
 * count as wrong.
 */
const judged: Readonly<Record<Reason, readonly [right: number, of: number]>> = {
  "known group": [86, 87],
  "former name": [5, 7],
  "place in brackets": [37, 40],
  "another ending": [22, 26],
  "company code": [26, 52],
  "same first words": [24, 50],
}

export const judgedFiles =
  "judged by hand for registers of Western Australia (part, 2021), Queensland and South Australia and the directory of August 2026"

/** `right in 26 of 52` */
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

export interface Suggestion {
  holder: UnlinkedHolder
  company: Company
  reason: Reason
  /** The known name that the holder's resembles. */
  similarName: string
}

/**
 * For each holder, in their order, at most three companies, the best first.
 * @param members the names of known groups, whose keys have no legal form
 */
export function suggestCompanies(
  holders: readonly UnlinkedHolder[],
  names: readonly KnownName[],
  members: readonly KnownName[],
): Suggestion[] {
  const index = indexOf(names, members, holders)
  return holders.flatMap((holder) => suggestionsFor(holder, index))
}

const maxSuggestions = 3

/** Words that begin the names of more companies than this identify none. */
const maxCompanies = 3

interface Entry extends KnownName {
  words: readonly string[]
}

interface Index {
  /** The names of known groups by their keys. */
  membersByKey: ReadonlyMap<string, readonly Entry[]>
  /** Former names by their keys. */
  formerByKey: ReadonlyMap<string, readonly Entry[]>
  /** The present name of each listed company. */
  byCode: ReadonlyMap<string, Entry>
  byFirstWord: ReadonlyMap<string, readonly Entry[]>
  /** Whether a word occurs almost only at the beginning of names. */
  isRare: (word: string) => boolean
  /** Whether many companies have a word in their names, such as RESOURCES. */
  isCommon: (word: string) => boolean
}

function indexOf(
  names: readonly KnownName[],
  members: readonly KnownName[],
  holders: readonly UnlinkedHolder[],
): Index {
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
    byCode: new Map(
      entries
        .filter(({ name, company }) => company.is_active && name === company.company_name)
        .map((entry) => [entry.company.asx_code, entry]),
    ),
    byFirstWord: Map.groupBy(entries, ({ words }) => words[0] ?? ""),
    isRare: (word) => (namesWith.get(word) ?? 0) <= maxRare,
    isCommon: (word) => (companiesWith.get(word) ?? 0) >= minCommon,
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
  /** How many of their first words are the same. */
  shared: number
}

function suggestionsFor(holder: UnlinkedHolder, index: Index): Suggestion[] {
  if (isPerson(holder.name)) return []
  const words = wordsOf(holder.name)
  const [first = ""] = words
  const equal = (reason: Reason, entries: readonly Entry[] = []): Match[] =>
    entries.map((entry) => ({ entry, reason, shared: words.length }))
  const inGroups = equal("known group", index.membersByKey.get(withoutLegalForm(holder.name)))
  const former = equal("former name", index.formerByKey.get(holder.key))
  const alike = (index.byFirstWord.get(first) ?? []).map((entry): Match => {
    const shared = sharedWords(words, entry.words)
    return { entry, reason: reasonFor(holder.name, words, entry, shared), shared }
  })
  const sameWords = alike.filter(
    ({ entry, shared }) => shared === words.length && shared === entry.words.length,
  )
  const ofCode = index.byCode.get(first)
  const byCode: Match[] = ofCode ? [{ entry: ofCode, reason: "company code", shared: 1 }] : []
  const matches = [...inGroups, ...former, ...sameWords, ...closest(alike, first, index), ...byCode]
  const ofCompanies = Map.groupBy(matches.sort(bestFirst), ({ entry }) => entry.company.asx_code)
  return [...ofCompanies.values()]
    .flatMap(([best]) => best ?? [])
    .slice(0, maxSuggestions)
    .map(({ entry: { name, company }, reason }) => ({ holder, company, reason, similarName: name }))
}

/** Those that share the most words, if these identify few companies. */
function closest(
  alike: readonly Match[],
  first: string,
  { isRare, isCommon }: Index,
): readonly Match[] {
  const most = Math.max(0, ...alike.map(({ shared }) => shared))
  const found = alike.filter(({ shared }) => shared === most)
  if (new Set(found.map(({ entry }) => entry.company.asx_code)).size > maxCompanies) return []
  if (most > 1) return found
  return isRare(first) ? found.filter(({ entry }) => entry.words.slice(1).every(isCommon)) : []
}

function sharedWords(one: readonly string[], other: readonly string[]): number {
  const different = one.findIndex((word, index) => word !== other[index])
  return different === -1 ? one.length : different
}

function reasonFor(
  holder: string,
  words: readonly string[],
  { name, words: others }: Entry,
  shared: number,
): Reason {
  if (shared < words.length) return "same first words"
  if (hasPlace(holder)) return "place in brackets"
  if (shared < others.length) return "same first words"
  return hasPlace(name) ? "place in brackets" : "another ending"
}

/** Whether its brackets contain more than an ending. */
const hasPlace = (name: string) => distinctiveWords(name).length > wordsOf(name).length

const bestFirst = (a: Match, b: Match): number =>
  reasons.indexOf(a.reason) - reasons.indexOf(b.reason) ||
  b.shared - a.shared ||
  Number(b.entry.company.is_active) - Number(a.entry.company.is_active) ||
  compareText(a.entry.company.asx_code, b.entry.company.asx_code) ||
  compareText(a.entry.name, b.entry.name)

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
