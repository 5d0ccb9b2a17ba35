/**
 * How many records of a list have each combination of values of some fields. One scan of the list counts
 * all combinations, from which the counts of each field add up.
 */
import type { Value } from "../../resources/resource.ts"
import { type Cache, type CacheSizes, createCache } from "../cache.ts"
import type { Pool } from "../pool/pool.ts"
import { createSharedReads } from "../pool/shared-reads.ts"
import { bindingsOf, type List, listKey } from "./list.ts"
import type { ReadOptions } from "./list-reader.ts"
import { type RelationChoice, readList } from "./relation-choice.ts"
import { bindRelease, type StatementsOn } from "./statements.ts"

export interface Group {
  /** Of the fields, in their order. */
  values: readonly Value[]
  records: number
}

/**
 * The groups in no particular order; null where there are more than can be shown.
 * May throw Unavailable or ReleaseUnavailable.
 * @param fields names of fields that are columns as they are
 */
export type ReadBreakdown = (
  list: List,
  fields: readonly string[],
  options: ReadOptions,
) => Promise<readonly Group[] | null>

/** As PostgreSQL gave it; "null" for too many. */
export type BreakdownCache = Cache<string>

export const createBreakdownCache = ({
  breakdowns,
}: Pick<CacheSizes, "breakdowns">): BreakdownCache =>
  createCache(breakdowns, (text) => 2 * text.length)

export function createBreakdowns(
  { db, run }: Pool,
  relations: RelationChoice,
  cache: BreakdownCache,
  statementsOn: StatementsOn,
): ReadBreakdown {
  const statements = statementsOn(db)
  const share = createSharedReads(run)

  async function read(
    list: List,
    fields: readonly string[],
    { release, account, cancellation }: ReadOptions,
  ) {
    const key = `${listKey(list, release)} ${fields}`
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const values = { ...bindingsOf(list), ...bindRelease(release) }
    const [row] = await readList(relations, release, list, (relation) =>
      share(
        `${relation} ${key}`,
        account,
        () => statements.breakdown(list, fields, relation).execute(values),
        cancellation,
      ),
    )
    if (!row) throw new Error("A breakdown returned no row")
    cache.set(key, row.groups)
    return row.groups
  }

  return async (list, fields, options) => {
    const groups: [...Value[], number][] | null = JSON.parse(await read(list, fields, options))
    return (
      groups?.map((group) => ({
        values: group.slice(0, fields.length),
        records: Number(group[fields.length]),
      })) ?? null
    )
  }
}
