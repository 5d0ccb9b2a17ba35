/** What lists must hold and in which order, worked out from the fixtures without the service's code. */

import { type Fixtures, shown, tenementsOf } from "../support/fixtures.ts"
import type { Shown } from "./bodies.ts"

type Compare<T> = (a: T, b: T) => number
type Key<T> = (record: T) => string | number | null

/** Case and composition don't count, and both sigmas are one letter. */
export const folded = (text: string): string =>
  text.normalize("NFC").toLowerCase().replaceAll("ς", "σ")

const ascending = (a: string | number, b: string | number): number =>
  typeof a === "number" || typeof b === "number"
    ? Number(a) - Number(b)
    : Buffer.compare(Buffer.from(a), Buffer.from(b))

/** By a key, unknown values last whatever the direction. */
export const by =
  <T>(key: Key<T>, order: "asc" | "desc" = "asc"): Compare<T> =>
  (a, b) => {
    const [left, right] = [key(a), key(b)]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return order === "asc" ? ascending(left, right) : ascending(right, left)
  }

export const inOrder = <T>(records: readonly T[], ...compares: Compare<T>[]): T[] =>
  records.toSorted((a, b) => {
    for (const compare of compares) {
      const outcome = compare(a, b)
      if (outcome !== 0) return outcome
    }
    return 0
  })

/** Each list endpoint's records, in its own order. */
export function expectedLists(fixtures: Fixtures): Record<string, Shown[]> {
  const all = shown(fixtures)
  const lists = (each: Record<string, object[]>) => each as Record<string, Shown[]>
  const tenementsOfBig = tenementsOf(fixtures.tenements, "BIG").map(({ id }) => id)
  return lists({
    "/companies": inOrder(
      all.companies.filter(({ is_active }) => is_active),
      by(({ company_name }) => folded(company_name)),
      by(({ asx_code }) => asx_code),
    ),
    "/companies/BIG/tenements": inOrder(
      all.tenements.filter(({ id }) => tenementsOfBig.includes(id)),
      by(({ id }) => id),
    ),
    "/companies/BIG/subsidiaries": inOrder(
      all.subsidiaries.filter(({ parent_asx_code }) => parent_asx_code === "BIG"),
      by(({ name }) => folded(name)),
      by(({ id }) => id),
    ),
    "/tenements": inOrder(
      all.tenements,
      by(({ id }) => id),
    ),
    "/reports": inOrder(
      all.reports,
      by(({ published_at }) => published_at, "desc"),
      by(({ hash }) => hash),
    ),
  })
}
