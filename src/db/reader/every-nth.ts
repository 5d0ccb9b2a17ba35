/**
 * Reads every nth row of a query. A cursor skips rows inside the server at the cost of a plain scan,
 * whatever the plan; numbering them with a window function takes five times as long.
 */
import { fillPlaceholders, type SQL, sql } from "drizzle-orm"
import { PgDialect } from "drizzle-orm/pg-core"
import { codeOf } from "../../text/error-code.ts"
import type { Database } from "../pool/pool.ts"

const dialect = new PgDialect()
/** The SQLSTATE of a statement that took longer than its timeout. */
const queryCanceled = "57014"

export interface Steps {
  n: number
  /** How many rows to read at most, from one on. */
  count: number
  /** No step but the first begins after this time, and none may take longer than it. */
  budgetMs: number
}

/**
 * The rows n, 2n, 3n and so on, as arrays of their columns: as many as there are, or as many as were
 * read in time. Takes about twice the budget at most: the last step may begin at its end.
 * @param values of the query's placeholders
 */
export async function everyNth(
  { $client }: Database,
  query: SQL,
  values: Record<string, unknown>,
  { n, count, budgetMs }: Steps,
): Promise<unknown[][]> {
  const declared = dialect.sqlToQuery(sql`declare every_nth no scroll cursor for ${query}`)
  const parameters = fillPlaceholders(declared.params, values) as string[]
  const found: unknown[][] = []
  const begunMs = performance.now()
  const read = $client.begin("read only", async (transaction) => {
    await transaction.unsafe(`set local statement_timeout = ${Math.ceil(budgetMs)}`)
    await transaction.unsafe(declared.sql, parameters)
    do {
      // One in each query: PostgreSQL's timeout applies to each statement, not to a query of many.
      const [row] = await transaction.unsafe(`fetch relative ${n} from every_nth`).values()
      if (!row) return
      found.push(row)
    } while (found.length < count && performance.now() - begunMs < budgetMs)
  })
  await read.catch((error: unknown) => {
    if (codeOf(error) !== queryCanceled) throw error
  })
  return found
}
