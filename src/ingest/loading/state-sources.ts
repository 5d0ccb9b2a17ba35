/**
 * A state's tenements come from one source: its register, else its part of the national view, else the whole
 * view. The highest of them that has tenements of the state owns it. A complete load of a higher source takes
 * the state over in its release: records of the same id pass to it, and the others are removed. An operator's
 * own tenements stand outside.
 */
import type { State } from "../../data/db/schema.ts"
import { arrayLiteral } from "../../system/text/array-literal.ts"
import { formatCount } from "../../system/text/display.ts"
import { sourcesOfState } from "../sources/catalogue.ts"
import type { RowCount } from "./figures.ts"
import { keepInHistory } from "./history.ts"
import { refused } from "./load-error.ts"
import { leaveOut, type Staging } from "./staging.ts"

/** The stored tenements of a source in a state. */
export interface StateOfSource {
  state: State
  source: string
  records: number
}

/**
 * Leaves out the rows of states that other sources own. Returns their counts, and the lower sources' tenements
 * that the load takes over.
 * @param takesOver whether the files are the complete set of their source
 * @throws LoadError where the files have less than 95% as many tenements of a state as the lower sources
 */
export async function resolveStates(
  staging: Staging,
  takesOver: boolean,
): Promise<{ leftOut: RowCount[]; taken: StateOfSource[] }> {
  const { source, acceptShrink = false } = staging.load
  if (!source.states) return { leftOut: [], taken: [] }
  const stored = await storedStates(staging, source.states)
  const ownedByOthers: StateOfSource[] = []
  const taken: StateOfSource[] = []
  for (const [state, inState] of Map.groupBy(stored, (row) => row.state)) {
    const order = sourcesOfState(state)
    const rankOf = (name: string) => order.indexOf(name)
    const ranked = inState.toSorted((a, b) => rankOf(a.source) - rankOf(b.source))
    const lower = ranked.filter((row) => rankOf(row.source) > rankOf(source.name))
    const [owner] = ranked
    const isOwn = owner?.source === source.name
    if (takesOver && lower.length > 0 && (isOwn || owner === lower[0])) taken.push(...lower)
    else if (owner && !isOwn) ownedByOthers.push(owner)
  }
  if (!acceptShrink) await guardAgainstSmallerSource(staging, taken)
  if (ownedByOthers.length === 0) return { leftOut: [], taken }
  const leftOut = await leaveOut(
    staging,
    `delete from ${staging.staged} s
     using jsonb_to_recordset($1::text::jsonb) as owned (state text, source text)
     where s.state = owned.state
     returning s.file, 'already loaded from ' || owned.source as reason`,
    [JSON.stringify(ownedByOthers)],
  )
  return { leftOut, taken }
}

function storedStates({ sql, table }: Staging, states: readonly State[]): Promise<StateOfSource[]> {
  const sources = new Set(states.flatMap(sourcesOfState))
  return sql.unsafe<StateOfSource[]>(
    `select state, source, count(*)::integer as records from ${table}
     where state = any($1::text[]) and source = any($2::text[]) group by 1, 2 order by 1, 2`,
    [arrayLiteral(states), arrayLiteral([...sources])],
  )
}

const minShare = 0.95

/** A register that has fewer tenements than the source below it is more often half a file than a true one. */
async function guardAgainstSmallerSource(
  { sql, source, staged }: Staging,
  taken: readonly StateOfSource[],
): Promise<void> {
  if (taken.length === 0) return
  const rows = await sql.unsafe<{ state: State; count: number }[]>(
    `select state, count(*)::integer as count from ${staged} group by state`,
  )
  for (const { state, source: lower, records } of taken) {
    const count = rows.find((row) => row.state === state)?.count ?? 0
    if (count >= records * minShare) continue
    throw refused(
      `the files of the source ${source} have ${formatCount(count)} tenements of ${state}, ` +
        `fewer than 95% of the ${formatCount(records)} of the source ${lower}, which they would replace`,
      ". If a file is truncated, load a complete one; if not, add --accept-shrink",
    )
  }
}

/** Removes the tenements of lower sources that the files lack. A rejected row removes no record. */
export async function removeReplaced(
  { sql, resource, table, staged, key, rejectedKeys, release }: Staging,
  taken: readonly StateOfSource[],
): Promise<number> {
  if (taken.length === 0) return 0
  const isReplaced = `exists (
      select from jsonb_to_recordset($2::text::jsonb) as taken (state text, source text)
      where t.state = taken.state and t.source = taken.source)
    and not exists (select from ${staged} s where s.${key} = t.${key})
    and not t.${key} = any($3::text[])`
  const { count } = await sql.unsafe(
    `with kept as (${keepInHistory(resource.table, isReplaced, "$1")})
     delete from ${table} t where ${isReplaced}`,
    [release, JSON.stringify(taken), arrayLiteral(rejectedKeys)],
  )
  return count
}
