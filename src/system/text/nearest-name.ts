import { distance } from "fastest-levenshtein"

/** Returns the known name that a misspelled one most likely means; undefined if none is similar. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  // A very long name is not a misspelling, and comparing it takes long.
  if (name.length > 40) return undefined
  const ranked = known
    .map((candidate) => ({ candidate, edits: distance(spelling(name), spelling(candidate)) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.edits - b.edits)
  return ranked[0]?.candidate
}

/** The known text that shares the most words with another, the first of several; undefined if none shares one. */
export function mostSimilar(text: string, known: readonly string[]): string | undefined {
  const given = wordsOf(text)
  const ranked = known
    .map((candidate) => {
      const words = wordsOf(candidate)
      return {
        candidate,
        shared: given.filter((word) => words.some((each) => isForm(word, each))),
      }
    })
    .filter(({ shared }) => shared.length > 0)
    .sort((a, b) => b.shared.length - a.shared.length)
  return ranked[0]?.candidate
}

/** Shorter words are in too many texts. */
const minWordLength = 4

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(({ length }) => length >= minWordLength)

/** `quarter` and `quarterly` are forms of one word. */
const isForm = (word: string, other: string): boolean =>
  word.startsWith(other) || other.startsWith(word)

/** Ignores case and separators: perPage, per-page and PER_PAGE mean per_page. */
const spelling = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")

const minNearLength = 7

/**
 * Whether a word is almost certainly a misspelling of another: one letter, not the first, of a long word is
 * wrong, missing or added.
 */
export const isNearSpelling = (word: string, other: string): boolean =>
  Math.min(word.length, other.length) >= minNearLength &&
  word.length <= other.length + 1 &&
  word[0] === other[0] &&
  distance(word, other) === 1
