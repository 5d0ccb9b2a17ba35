/**
 * Maps a register's phrase by its deciding words, so that it also maps new phrases: `Ceased - s26(11)` by
 * `ceased`, `Mineral Lease (Northern) (MLN)` by `mineral lease`.
 *
 * The reader finds every decision with a term in the phrase and drops those that another one overrides. The
 * others must agree; otherwise the phrase is unknown, because a guess would be worse.
 */
import { memoized } from "../../system/text/memoized.ts"
import { isNearSpelling } from "../../system/text/nearest-name.ts"

interface WordMeaning<Word extends string> {
  /** Null for terms that reverse other words or leave them open: `not`, `partially`. */
  means: Word | null
  /** Words, or sequences of words, in lower case. Singular and plural are the same. */
  terms: readonly string[]
  /** The meanings that this one overrides: an `application refused` is refused. */
  over?: readonly (Word | null)[]
}

/** A faulty file may have longer ones. */
const maxPhraseLength = 200

/** Prepares decisions once, for look-ups in every row. The result is undefined for an unknown phrase. */
export function phraseReader<Word extends string>(
  decisions: readonly WordMeaning<Word>[],
): (phrase: string) => Word | undefined {
  const prepared = decisions.map(({ terms, ...decision }) => ({
    ...decision,
    terms: terms.map((term) => sequence(wordsOf(term))),
  }))
  const known = new Set(decisions.flatMap(({ terms }) => terms.flatMap(wordsOf)))
  const read = memoized((phrase: string): Word | undefined => {
    const words = sequence(wordsOf(phrase).map((word) => spelled(word, known)))
    const found = prepared.filter(({ terms }) => terms.some((term) => words.includes(term)))
    const decisive = found.filter(
      ({ means }) => !found.some(({ over = [] }) => over.includes(means)),
    )
    const meanings = new Set(decisive.map(({ means }) => means))
    const [only] = meanings
    return meanings.size === 1 ? (only ?? undefined) : undefined
  })
  return (phrase) => (phrase.length > maxPhraseLength ? undefined : read(phrase))
}

/** An exclusion does not describe the phrase: `minerals other than coal`. */
const exclusion = /\bother than\b.*$/

function wordsOf(phrase: string): string[] {
  const words =
    phrase
      .toLowerCase()
      .replace(exclusion, "")
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return words.map((word) => (word.length > 3 ? word.replace(/s$/, "") : word))
}

/** Blanks around each word, so that a term is found only as whole words. */
const sequence = (words: readonly string[]) => ` ${words.join(" ")} `

/** Returns the known word for a misspelled one; any other word stays as it is. */
function spelled(word: string, known: ReadonlySet<string>): string {
  if (known.has(word)) return word
  const near = [...known].filter((candidate) => isNearSpelling(word, candidate))
  return near.length === 1 && near[0] !== undefined ? near[0] : word
}
