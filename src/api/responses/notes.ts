/** Notes on what a list lacks, for people and assistants. */
import type { SuggestedHolder } from "../../data/reader/links.ts"
import type { List } from "../../data/reader/statements.ts"
import type { ResourceRecord } from "../../data/resources/resource.ts"
import { tenements, tenementsByNumber } from "../../data/resources/tenements.ts"
import { countOf, formatCount } from "../../system/text/display.ts"
import { referenceKey } from "../../system/text/reference-key.ts"
import type { ParameterValue, ParameterValues } from "../http/parameters.ts"
import { listEndpoint } from "./endpoint.ts"
import { askList } from "./question.ts"

export interface LeftOut {
  /** The field that they lack: `expiry date`. */
  field: string
  count: number
  /** The number of records that match the other filters. */
  total: number
}

/** Filters that exclude records without a field, and one that each record with the field matches. */
interface Excluding {
  field: string
  filters: readonly string[]
  known: ParameterValues
}

const excluding: readonly Excluding[] = [
  ...Object.entries(tenements.filters).flatMap(([to, { day }]) => {
    const from = to.replace(/to$/, "from")
    // The first day is before every known one.
    return day && from !== to
      ? [
          {
            field: day.name.replaceAll("_", " "),
            filters: [from, to],
            known: { [from]: "0001-01-01" },
          },
        ]
      : []
  }),
  { field: "known shape", filters: ["near", "bbox"], known: { bbox: "90,-60,180,0" } },
]

/**
 * Counts the records that filters by day or by place exclude because they lack that day or a shape.
 * @param values the parameters of a list of tenements
 * @param totalOf the number of records with these parameters, at the release of the list
 */
export async function leftOutRecords(
  { page: _, ...values }: ParameterValues,
  totalOf: (values: ParameterValues) => Promise<number>,
): Promise<LeftOut[]> {
  const counted = excluding
    .filter(({ filters }) => filters.some((name) => values[name] !== undefined))
    .map(async ({ field, filters, known }) => {
      const without = Object.fromEntries(filters.map((name) => [name, undefined]))
      const others = { ...values, ...without, per_page: 1 }
      const [total, withField] = await Promise.all([
        totalOf(others),
        totalOf({ ...others, ...known }),
      ])
      return { field, total, count: total - withField }
    })
  return (await Promise.all(counted)).filter(({ count }) => count > 0)
}

/** For assistants. @param list what leaves them out */
export const leftOutWords = (list: string, { field, count, total }: LeftOut): string =>
  `${list} leaves out ${formatCount(count)} of the ${formatCount(total)} tenements that match the other filters: they have no ${field}.`

const inOrder = listEndpoint({ path: "/tenements", resource: tenementsByNumber })

/**
 * Reads the tenements with the nearest numbers of the same type, for a number that none has. None for a text
 * that is not a number with a type.
 * @param state the state of the number, if it is known
 * @param firstThree reads the first records of a list
 */
export async function nearestNumbers(
  written: string,
  state: ParameterValue | undefined,
  firstThree: (list: List) => Promise<readonly ResourceRecord[]>,
): Promise<ResourceRecord[]> {
  const key = referenceKey(written)
  const type = /^[A-Z]+ (?=\d)/.exec(key)?.[0]
  if (type === undefined) return []
  const read = (order: string, from_key: string, before_key: string) =>
    firstThree(askList(inOrder, { state, from_key, before_key, order }).list)
  // A colon follows the digits.
  const [below, above] = await Promise.all([read("desc", type, key), read("asc", key, `${type}:`)])
  return [...below.toReversed(), ...above]
}

const mostNamed = 3

/**
 * Says how many more tenements than the linked ones a company may hold; null without probable subsidiaries. The
 * number is that of the whole company: only for lists without other filters.
 */
export function probableSubsidiariesWords(
  code: string,
  holders: readonly SuggestedHolder[],
): string | null {
  const [first] = holders
  if (!first) return null
  const named = holders
    .slice(0, mostNamed)
    .map((holder) => `${holder.name} (${formatCount(holder.tenements)})`)
  const more = holders.length > mostNamed ? `, and ${holders.length - mostNamed} more` : ""
  return `${code} may hold ${countOf(first.added, "more tenement")}, under names of holders that are not linked to it: ${named.join(", ")}${more}.`
}
