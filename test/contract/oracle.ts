/** The expected records of lists and their order, computed from the fixtures without the service's code. */

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

/** Spellings of one name differ in case, accents, punctuation, signs for "and", and short forms. */
export const nameKey = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toUpperCase()
    .replace(/[&+]/g, " AND ")
    .replace(/\bLIMITED\b/g, "LTD")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()

/** The holders of a tenement by the key of their names; a private person whose name is not stored is none. */
export const holdersOf = ({ holder_name }: Pick<Fixtures["tenements"][number], "holder_name">) =>
  new Map(
    (holder_name ?? "")
      .split(";")
      .map((name) => name.trim())
      .filter((name) => name !== "Individual" && nameKey(name) !== "")
      .map((name) => [nameKey(name), name] as const),
  )

/** Holders, each once, in its most frequent spelling, with the number of its tenements. */
export function holderCounts(tenements: Fixtures["tenements"]) {
  const held = tenements.flatMap((tenement) => [...holdersOf(tenement)])
  const counts = [...Map.groupBy(held, ([key]) => key).values()].map((equal) => {
    const spellings = Map.groupBy(equal, ([, spelling]) => spelling)
    const [first] = inOrder(
      [...spellings].map(([value, { length }]) => ({ value, length })),
      by(({ length }) => length, "desc"),
      by(({ value }) => value),
    )
    return { value: first?.value ?? "", count: equal.length }
  })
  return inOrder(
    counts,
    by(({ count }) => count, "desc"),
    by(({ value }) => value),
  )
}

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
