/**
 * The rules by which loads compute values, each with its number. A change of a rule gives it the next number:
 * `mds migrate` then computes the values of the current records again. A rule keeps its name.
 *
 * Ids and the folds that determine an order have no number, because they never change.
 */
export const rules = {
  /** `normaliseName()`, `hasLegalForm()` and `namedHolders()`. */
  names: 1,
  /** `referenceKey()`, and the text that the filter `search` looks in. */
  references: 1,
  /** `reportGroup()`. */
  report_groups: 2,
  /** The links and suggestions of `ingest/loading`. */
  links: 1,
} as const

export type Rule = keyof typeof rules
