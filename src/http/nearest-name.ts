/** The known name that a misspelled one most likely means; undefined where none is close. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  // A name far longer than any known one is no misspelling, and not worth the table below.
  if (name.length > 40) return undefined
  const ranked = known
    .map((candidate) => ({ candidate, edits: editDistance(spelling(name), spelling(candidate)) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.edits - b.edits)
  return ranked[0]?.candidate
}

/** Case and separators are what people vary first: perPage, per-page and PER_PAGE mean per_page. */
const spelling = (name: string): string => name.toLowerCase().replace(/[_\-\s]/g, "")

/** Levenshtein's distance: the insertions, deletions and substitutions from one text to the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
